import * as z from 'zod'

const createCommandSchema = () =>
  z.string().min(1).describe('The program: a path, or a name that is looked up in PATH.')
const createArgsSchema = (description: string) => z.array(z.string()).optional().describe(description)
const createExtensionSchema = () => z.string().regex(/^\../, 'must start with a dot, as in ".ts"')

/** Creates the schema for the settings of a formatter, which runs after each edit. */
export function createFormatterSchema() {
  return z.looseObject({
    command: createCommandSchema(),
    args: createArgsSchema(
      'The arguments of the program. "$FILE" is replaced by the file; without it, the file is the last argument.',
    ),
    extensions: z
      .array(createExtensionSchema())
      .min(1)
      .describe('The file name extensions that the program formats, such as ".ts".'),
  })
}

/**
 * Creates the schema for the settings of a language server. An entry with the name of a built-in server changes only the keys
 * that it has.
 */
export function createLanguageServerSchema() {
  return z.looseObject({
    command: createCommandSchema().optional(),
    args: createArgsSchema('The arguments of the program, such as "--stdio".'),
    extensions: z
      .record(createExtensionSchema(), z.string().min(1))
      .optional()
      .describe('The language of each file name extension, such as ".ts": "typescript".'),
    rootMarkers: z
      .array(z.string().min(1))
      .optional()
      .describe('Files that mark the folder to work on, such as "go.mod". Default: the project folder.'),
    initializationOptions: z.unknown().optional().describe('Passed to the server when it starts.'),
    settings: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Settings that the server asks for, such as "python": { "analysis": {} }.'),
    memoryMb: z
      .number()
      .int()
      .min(64)
      .optional()
      .describe('The server is ended when it uses more memory than this. Default: 4096.'),
    disabled: z.boolean().optional().describe('true: the server is never started.'),
  })
}
