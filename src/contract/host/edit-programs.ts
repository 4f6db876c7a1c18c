import * as z from 'zod'

const createCommandSchema = () =>
  z.string().min(1).describe('The program: a path, or a name that is looked up in PATH.')
const createArgsSchema = (description: string) => z.array(z.string()).optional().describe(description)
const createExtensionSchema = () => z.string().regex(/^\../, 'must start with a dot, as in ".ts"')

/** The settings of a formatter, which runs after each edit. */
export function createFormatterSchema() {
  return z.looseObject({
    command: createCommandSchema(),
    args: createArgsSchema(
      'Its arguments. "$FILE" is replaced by the file; without it, the file is the last argument.',
    ),
    extensions: z
      .array(createExtensionSchema())
      .min(1)
      .describe('The file name extensions that it formats, such as ".ts".'),
  })
}

export function createLanguageServerSchema() {
  return z.looseObject({
    command: createCommandSchema(),
    args: createArgsSchema('Its arguments, such as "--stdio".'),
    extensions: z
      .record(createExtensionSchema(), z.string().min(1))
      .describe('The language of each file name extension, such as ".ts": "typescript".'),
    initializationOptions: z.unknown().optional().describe('Passed to the server when it starts.'),
  })
}
