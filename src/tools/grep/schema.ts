import * as z from 'zod'

const lines = () => z.number().int().nonnegative().optional()

export const inputSchema = () =>
  z.strictObject({
    pattern: z.string().min(1).describe('The regular expression to search for, as ripgrep reads them'),
    path: z.string().min(1).optional().describe('The file or folder to search; the working folder unless given'),
    glob: z
      .string()
      .min(1)
      .optional()
      .describe('Only files that fit, such as "*.{ts,tsx}"; with "!" before it, all others'),
    type: z.string().min(1).optional().describe('Only files of this kind, such as "js", "py" or "rust"'),
    output_mode: z
      .enum(['files_with_matches', 'content', 'count'])
      .optional()
      .describe('Files (unless given), the lines that fit, or how many fit in each file'),
    '-A': lines().describe('Lines to show after each match; with content'),
    '-B': lines().describe('Lines to show before each match; with content'),
    '-C': lines().describe('Lines to show around each match; with content'),
    '-n': z.boolean().optional().describe('Whether lines are numbered, true unless given; with content'),
    '-i': z.boolean().optional().describe('Whether capital and small letters are the same'),
    multiline: z.boolean().optional().describe('Whether a match may go over several lines'),
    head_limit: lines().describe('How many lines or files at most, 250 unless given; 0 for all'),
    offset: lines().describe('How many lines or files to leave out at the start'),
  })

export const MODES = { files_with_matches: 'files', content: 'content', count: 'count' } as const

export const outputSchema = () =>
  z.object({
    mode: z.enum(['files', 'content', 'count']),
    text: z.string(),
    entries: z.number(),
    /** Entries left out behind; unknown where the search stopped, since it had enough. */
    more: z.union([z.number(), z.literal('unknown')]),
    offset: z.number(),
    /** What was given up, and why: there may be more in it. */
    unsearched: z.array(z.object({ path: z.string(), reason: z.string() })),
    /** What to say where nothing was found. */
    query: z.object({ pattern: z.string(), path: z.string(), isNarrowed: z.boolean(), ignoresCase: z.boolean() }),
  })

export type GrepInput = z.infer<ReturnType<typeof inputSchema>>
export type GrepOutput = z.infer<ReturnType<typeof outputSchema>>
