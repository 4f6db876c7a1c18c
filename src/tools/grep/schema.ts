import * as z from 'zod'

const createCountSchema = () => z.number().int().nonnegative().optional()

export const createInputSchema = () =>
  z.strictObject({
    pattern: z.string().min(1).describe('The regular expression to search for, in ripgrep syntax'),
    path: z.string().min(1).optional().describe('The file or folder to search; the working directory by default'),
    glob: z
      .string()
      .min(1)
      .optional()
      .describe('Only files that match, such as "*.{ts,tsx}"; with a leading "!", only files that do not match'),
    type: z.string().min(1).optional().describe('Only files of this type, such as "js", "py" or "rust"'),
    output_mode: z
      .enum(['files_with_matches', 'content', 'count'])
      .optional()
      .describe('Files (default), the matching lines, or the number of matching lines in each file'),
    '-A': createCountSchema().describe('Lines to show after each match; only with output_mode "content"'),
    '-B': createCountSchema().describe('Lines to show before each match; only with output_mode "content"'),
    '-C': createCountSchema().describe('Lines to show around each match; only with output_mode "content"'),
    '-n': z.boolean().optional().describe('Show line numbers; true by default; only with output_mode "content"'),
    '-i': z.boolean().optional().describe('Ignore case'),
    multiline: z.boolean().optional().describe('A match may span several lines'),
    head_limit: createCountSchema().describe('Maximum number of lines or files; 250 by default, 0 for all'),
    offset: createCountSchema().describe('Number of lines or files to skip at the start'),
  })

export const OUTPUT_BY_MODE = { files_with_matches: 'files', content: 'content', count: 'count' } as const

export const createOutputSchema = () =>
  z.object({
    mode: z.enum(['files', 'content', 'count']),
    text: z.string(),
    entries: z.number(),
    /** The number of further entries; `unknown` if the search stopped early. */
    more: z.union([z.number(), z.literal('unknown')]),
    offset: z.number(),
    /** The path in every entry, if one file was searched. */
    file: z.string().optional(),
    /** Files that could not be searched, and why. */
    unsearched: z.array(z.object({ path: z.string(), reason: z.string() })),
    /** The query, used for advice if nothing was found. */
    query: z.object({ pattern: z.string(), path: z.string(), isNarrowed: z.boolean(), ignoresCase: z.boolean() }),
  })

export type GrepInput = z.infer<ReturnType<typeof createInputSchema>>
export type GrepOutput = z.infer<ReturnType<typeof createOutputSchema>>
