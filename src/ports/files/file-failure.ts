import { FileError, type FileErrorCode, isFileError } from '../../contract/ports/file-error.js'
import { reasonOf } from '../../shared/reason-of.js'

type Sentence = (path: string) => string

/** System errors with an explanation for the model. For others, the system's message is used. */
const FAILURES_BY_CODE: Readonly<Record<string, readonly [FileErrorCode, Sentence]>> = {
  ENOENT: ['missing', (path) => `${path} does not exist.`],
  EEXIST: ['exists', (path) => `${path} already exists.`],
  EISDIR: ['is_folder', (path) => `${path} is a folder, not a file.`],
  ENOTDIR: ['failed', (path) => `${path} cannot exist, because one of its parents is not a folder.`],
  ENOTEMPTY: ['exists', (path) => `${path} is a folder that is not empty.`],
  EACCES: ['no_rights', (path) => `Permission denied: ${path} cannot be accessed or changed.`],
  EPERM: ['no_rights', (path) => `Permission denied: ${path} cannot be accessed or changed.`],
  EROFS: ['no_rights', (path) => `${path} is on a file system that cannot be written to.`],
  ENOSPC: ['no_space', (path) => `The disk of ${path} is full; nothing was changed.`],
  EDQUOT: ['no_space', (path) => `The disk quota for ${path} is used up; nothing was changed.`],
  ELOOP: ['failed', (path) => `${path} leads through too many links.`],
  ENAMETOOLONG: ['failed', (path) => `${path} has a name that is too long.`],
  ENXIO: ['not_a_file', (path) => `${path} is a device, pipe or socket, not a file.`],
}

/** Converts a system error to a `FileError` that the model understands. Other errors are returned unchanged. */
export function toFileError(error: unknown, path: string): unknown {
  if (isFileError(error) || !isSystemError(error)) return error
  const [code, sentence] = FAILURES_BY_CODE[error.code] ?? ['failed', () => `${path}: ${reasonOf(error)}.`]
  return new FileError(code, path, sentence(path), { cause: error })
}

/** Runs an action and converts system errors to file errors that name the file. */
export async function withFileErrors<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    throw toFileError(error, path)
  }
}

export function hasErrorCode(error: unknown, ...codes: readonly string[]): boolean {
  return isSystemError(error) && codes.includes(error.code)
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException & { readonly code: string } {
  return error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string'
}
