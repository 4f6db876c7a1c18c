import * as z from 'zod'

const createCountSchema = () => z.number().int().nonnegative().optional()

export const createInputSchema = () =>
  z.strictObject({
    pattern: z.string().min(1).describe('Regular expression in ripgrep syntax'),
    path: z.string().min(1).optional().describe('File or folder; the working directory by default'),
    glob: z.string().min(1).optional().describe('Only files that match, such as "*.{ts,tsx}"; "!" excludes'),
    type: z.string().min(1).optional().describe('Only files of this type, such as "js" or "py"'),
    output_mode: z
      .enum(['files_with_matches', 'content', 'count'])
      .optional()
      .describe('Files, newest first (default); matching lines; or matching lines per file'),
    '-A': createCountSchema().describe('Lines after each match, with "content"'),
    '-B': createCountSchema().describe('Lines before each match'),
    '-C': createCountSchema().describe('Lines around each match'),
    '-n': z.boolean().optional().describe('Line numbers; true by default'),
    '-i': z.boolean().optional().describe('Ignore case'),
    multiline: z.boolean().optional().describe('Matches may span lines, and "." matches a newline'),
    head_limit: createCountSchema().describe('Maximum of lines or files; 0 for all'),
    offset: createCountSchema().describe('Lines or files to skip'),
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
