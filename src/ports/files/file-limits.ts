import type { FileReadingLimits, GlobLimits } from '../../contract/ports/files.js'

export const FILE_READING_LIMITS: FileReadingLimits = { maxTokens: 25_000, maxSizeBytes: 256 * 1024 }
export const GLOB_LIMITS: GlobLimits = { maxResults: 100 }
