import { basename, dirname } from 'node:path'
import { isRecord } from '../shared/is-record.js'
import { openPrivateFiles, PrivateFileError } from './files/private-files.js'
import { getKeysFile } from './files/settings-files.js'

/** A key of a provider, or the command that prints it. It is only sent to the server for which it was stored. */
export interface StoredKey {
  readonly key?: string
  readonly command?: string
  /** The server of the provider when the key was stored. Undefined stands for the vendor's own API. */
  readonly baseUrl?: string
}

export type StoredKeys = Readonly<Record<string, StoredKey>>

/** The file with the keys cannot be used. The message never contains a key. */
export class StoredKeysError extends Error {
  override readonly name = 'StoredKeysError'
}

/** Reads the keys that `haft login` stored, by provider. */
export async function readStoredKeys(home: string): Promise<StoredKeys> {
  const file = getKeysFile(home)
  return parseKeys(await openPrivateFiles(dirname(file)).read(basename(file)).catch(throwKeysError), file)
}

/** Stores the key of a provider, or removes it if `entry` is undefined. Returns whether there was one before. */
export async function changeStoredKey(home: string, provider: string, entry: StoredKey | undefined): Promise<boolean> {
  const file = getKeysFile(home)
  let wasStored = false
  const edit = (text: string | undefined) => {
    const keys = new Map(Object.entries(parseKeys(text, file)))
    wasStored = keys.delete(provider)
    if (entry !== undefined) keys.set(provider, entry)
    return keys.size === 0 ? undefined : `${JSON.stringify({ providers: Object.fromEntries(keys) }, null, 2)}\n`
  }
  await openPrivateFiles(dirname(file)).change(basename(file), edit).catch(throwKeysError)
  return wasStored
}

function throwKeysError(error: unknown): never {
  if (!(error instanceof PrivateFileError)) throw error
  throw new StoredKeysError(`${error.message}. Fix its permissions, or delete it and run haft login again.`, {
    cause: error,
  })
}

function parseKeys(text: string | undefined, file: string): StoredKeys {
  if (text === undefined) return {}
  const store = parseJson(text)
  const entries = isRecord(store) && isRecord(store.providers) ? Object.entries(store.providers) : undefined
  if (entries?.every(([, entry]) => isStoredKey(entry)) !== true)
    throw new StoredKeysError(`${file} is malformed. Delete it and run haft login again.`)
  return Object.fromEntries(entries) as StoredKeys
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The message of the parser is dropped, because it quotes the text.
    return undefined
  }
}

function isStoredKey(entry: unknown): boolean {
  if (!isRecord(entry)) return false
  const { key, command, baseUrl } = entry
  const isOptionalString = (value: unknown) => value === undefined || typeof value === 'string'
  return [key, command, baseUrl].every(isOptionalString) && (key !== undefined) !== (command !== undefined)
}
