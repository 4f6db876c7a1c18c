/** Every way in which a file operation can fail that a caller may want to tell apart. */
export type FileErrorCode =
  | 'missing'
  | 'exists'
  /** A folder where a file is needed. */
  | 'is_folder'
  /** A device, pipe or socket. */
  | 'not_a_file'
  /** Not what the caller expected to be there. */
  | 'changed'
  /** The path leads elsewhere than it did when it was judged. */
  | 'moved'
  | 'too_large'
  | 'no_rights'
  | 'no_space'
  | 'failed'

/** A file operation that failed and left everything as it was; the message can go to the model. */
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

/** Also true of an error from another copy of this package. */
export function isFileError(error: unknown): error is FileError {
  return error instanceof Error && error.name === 'FileError' && 'code' in error
}
