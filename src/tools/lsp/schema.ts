import * as z from 'zod'
import { LSP_OPERATIONS } from '../../contract/ports/lsp.js'
import { limitItems } from '../../shared/limit-items.js'

/** All operations, by the names that models use. */
const OPERATIONS = [...LSP_OPERATIONS, 'diagnostics'] as const

/** The operations that are about a symbol at a position. */
export const POSITION_OPERATIONS: readonly string[] = [
  'goToDefinition',
  'findReferences',
  'hover',
  'goToImplementation',
  'incomingCalls',
  'outgoingCalls',
  'rename',
]

const MAX_NAME_CHARS = 500
/** A rename that changes more files is refused: nobody could review it. */
export const MAX_CHANGED_FILES = 1_000

export const inputSchema = () =>
  z.strictObject({
    operation: z.enum(OPERATIONS).describe('What to ask the language server'),
    filePath: z
      .string()
      .min(1)
      .describe(
        'The file, absolute or relative to the working directory; for workspaceSymbol any file of the language',
      ),
    line: z
      .number()
      .int()
      .min(1)
      .optional()
      .describe('The line of the symbol, counted from 1 as editors and Read show it'),
    character: z
      .number()
      .int()
      .min(1)
      .optional()
      .describe('The column of the symbol in its line, counted from 1 as editors show it'),
    query: z.string().max(MAX_NAME_CHARS).optional().describe('workspaceSymbol: the name, or a part of it'),
    newName: z.string().min(1).max(MAX_NAME_CHARS).optional().describe('rename: the new name of the symbol'),
    changedFiles: z
      .preprocess(limitItems(MAX_CHANGED_FILES, 'Rename in smaller steps.'), z.array(z.string().min(1)))
      .optional()
      .describe('rename: the files that change. Leave it out; it is added before permission is asked for'),
  })

export type LspInput = z.output<ReturnType<typeof inputSchema>>

export const outputSchema = () => {
  const item = z.object({
    /** Relative to the working directory, if the file is inside it. */
    path: z.string(),
    /** Lines and characters count from 1. */
    line: z.number(),
    character: z.number(),
    /** The source line; left out for files outside the working folders. */
    text: z.string().optional(),
    /** The name and kind of a symbol, or a problem. */
    label: z.string().optional(),
    /** How deep a symbol is nested. */
    depth: z.number().optional(),
  })
  return z.discriminatedUnion('type', [
    z.object({
      type: z.literal('list'),
      operation: z.enum(OPERATIONS),
      filePath: z.string(),
      items: z.array(item),
      /** The number of results, including those beyond the limit, but not hidden ones. */
      total: z.number(),
      /** The number of results in files that permission rules hide. */
      hiddenCount: z.number(),
    }),
    z.object({ type: z.literal('hover'), path: z.string(), line: z.number(), character: z.number(), text: z.string() }),
    z.object({
      type: z.literal('renamed'),
      newName: z.string(),
      files: z.array(z.object({ filePath: z.string(), count: z.number(), patch: z.string() })),
      remarks: z.array(z.string()),
    }),
  ])
}

export type LspOutput = z.output<ReturnType<typeof outputSchema>>
export type LspItem = Extract<LspOutput, { type: 'list' }>['items'][number]
