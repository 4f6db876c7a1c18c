/** The kinds of file failures that callers may need to distinguish. */
export type FileErrorCode =
  | 'missing'
  | 'exists'
  /** The path is a folder, and a file is needed. */
  | 'is_folder'
  /** A device, pipe or socket. */
  | 'not_a_file'
  /** The file is not in the state that the caller expected. */
  | 'changed'
  /** The path resolves to another file than when its permission was decided. */
  | 'moved'
  | 'too_large'
  | 'no_rights'
  | 'no_space'
  | 'failed'

/** A file operation failed and changed nothing. The message may be shown to the model. */
export class FileError extends Error {
  override readonly name = 'FileError'

  constructor(
    readonly code: FileErrorCode,
    readonly path: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** Whether an error is a `FileError`, also one from another copy of this package. */
export function isFileError(error: unknown): error is FileError {
  return error instanceof Error && error.name === 'FileError' && 'code' in error
}
