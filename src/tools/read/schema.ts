import * as z from 'zod'
import { IMAGE_TYPES } from '../documents/file-kind.js'

export const createInputSchema = () =>
  z.strictObject({
    file_path: z.string().min(1).describe('Absolute, or relative to the working directory'),
    offset: z.number().int().nonnegative().optional().describe('First line, from 1'),
    limit: z.number().int().positive().optional().describe('Number of lines; 2,000 by default'),
    pages: z.string().optional().describe('For a PDF: a page ("3") or a range of at most 20 ("1-5")'),
  })

const createImageSchema = () => z.object({ mediaType: z.enum(IMAGE_TYPES), base64: z.string() })
const createSizeSchema = () => z.object({ width: z.number(), height: z.number() })

export const createOutputSchema = () =>
  z.discriminatedUnion('type', [
    z.object({
      type: z.literal('text'),
      path: z.string(),
      lines: z.array(z.string()),
      firstLine: z.number(),
      hasMore: z.boolean(),
      /** Left out if nothing follows, and for large files. */
      totalLines: z.number().optional(),
      /** The limit of one read, if it ended the text. */
      cutAt: z.string().optional(),
    }),
    z.object({ type: z.literal('empty'), path: z.string() }),
    z.object({ type: z.literal('unchanged'), path: z.string(), part: z.string() }),
    z.object({
      type: z.literal('image'),
      path: z.string(),
      image: createImageSchema(),
      size: createSizeSchema(),
      originalSize: createSizeSchema().optional(),
    }),
    z.object({
      type: z.literal('pdf'),
      path: z.string(),
      pageCount: z.number(),
      pages: z.array(z.object({ page: z.number(), text: z.string() })),
    }),
    z.object({
      type: z.literal('notebook'),
      path: z.string(),
      cellCount: z.number(),
      firstCell: z.number(),
      parts: z.array(z.union([z.object({ text: z.string() }), z.object({ image: createImageSchema() })])),
      shownCells: z.number(),
    }),
  ])

export type ReadInput = z.infer<ReturnType<typeof createInputSchema>>
export type ReadOutput = z.infer<ReturnType<typeof createOutputSchema>>
