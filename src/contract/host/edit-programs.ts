import * as z from 'zod'

const command = () => z.string().min(1).describe('The program: a name that is looked for in PATH, or a path.')
const args = (about: string) => z.array(z.string()).optional().describe(about)
const ENDING = 'must begin with a dot, as in ".ts"'
const ending = () => z.string().regex(/^\../, ENDING)

/** A program that puts a file's layout right after an edit, as settings have it. */
export function formatterSchema() {
  return z.looseObject({
    command: command(),
    args: args('What it is started with. "$FILE" stands for the file, which comes last where it is not named.'),
    extensions: z.array(ending()).min(1).describe('The ends of the names of files that it formats, such as ".ts".'),
  })
}

/** A language server, as settings have it. */
export function languageServerSchema() {
  return z.looseObject({
    command: command(),
    args: args('What it is started with, such as "--stdio".'),
    extensions: z
      .record(ending(), z.string().min(1))
      .describe('The language of files by the end of their names, such as ".ts": "typescript".'),
    initializationOptions: z.unknown().optional().describe('What the server itself wants to be told at its start.'),
  })
}
