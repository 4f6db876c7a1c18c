import * as z from 'zod'

const MAX_URL_CHARS = 2_000

export const inputSchema = () =>
  z.strictObject({
    url: z.string().min(1).max(MAX_URL_CHARS).describe('The URL to fetch'),
    prompt: z
      .string()
      .optional()
      .describe('A question that a small model answers from the page; leave it out to get the page itself'),
    offset: z
      .number()
      .int()
      .min(0)
      .optional()
      .describe('The character of the page to start at, as stated in the previous result; 0 if left out'),
    raw: z.boolean().optional().describe('Return the source of an HTML page instead of Markdown'),
  })

export type WebFetchInput = z.output<ReturnType<typeof inputSchema>>

export const outputSchema = () => {
  const page = {
    /** The URL after redirects. */
    url: z.string(),
    title: z.string(),
    /** The part of the page that was used, as character offsets: `start` is inclusive, `end` exclusive. */
    start: z.number(),
    end: z.number(),
    totalChars: z.number(),
    /** Whether only the first part of the page was downloaded, because it is too large. */
    isDownloadTruncated: z.boolean(),
    /** Whether only the first part of the page arrived in time. */
    isDownloadSlow: z.boolean().optional(),
  }
  return z.discriminatedUnion('type', [
    z.object({ type: z.literal('page'), ...page, text: z.string() }),
    z.object({ type: z.literal('answer'), ...page, answer: z.string() }),
    z.object({ type: z.literal('image'), url: z.string(), mediaType: z.string(), base64: z.string() }),
    z.object({ type: z.literal('redirect'), url: z.string(), status: z.number(), location: z.string() }),
  ])
}

export type WebFetchOutput = z.output<ReturnType<typeof outputSchema>>
