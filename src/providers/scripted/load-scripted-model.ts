import { readFile } from 'node:fs/promises'
import { basename, extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Model } from '../../contract/model/model.js'
import { ModelError } from '../../contract/model/model-error.js'
import { isRecord } from '../../shared/is-record.js'
import { reasonOf } from '../../shared/reason-of.js'
import { parseScript } from './script.js'
import { createScriptedModel } from './scripted-model.js'

/**
 * Loads a scripted model from a file: `.json` (a list of turns, or an object with `turns`), `.jsonl` (one turn per line) or
 * `.mjs` (exports `script`, whose turns may be functions). Throws with a one-line message that locates the problem.
 */
export async function loadScriptedModel(path: string): Promise<Model> {
  const origin = `Script ${basename(path)}`
  return createScriptedModel(parseScript(await loadScript(path, origin), origin))
}

async function loadScript(path: string, origin: string): Promise<unknown> {
  const extension = extname(path)
  if (extension === '.mjs' || extension === '.js') return await importScript(path, origin)
  if (extension === '.json') return parseJson(await readText(path, origin), origin)
  if (extension === '.jsonl') return parseLines(await readText(path, origin), origin)
  throw new ModelError('invalid_request', `${origin}: the file name must end with .json, .jsonl or .mjs`)
}

async function importScript(path: string, origin: string): Promise<unknown> {
  // The file is read first, because Node's message for a missing module names internal files.
  await readText(path, origin)
  const module: unknown = await import(pathToFileURL(resolve(path)).href).catch((error: unknown) => {
    throw new ModelError('invalid_request', `${origin}: ${getFirstLine(error)}`, { cause: error })
  })
  const value = isRecord(module) ? (module.script ?? module.default) : undefined
  if (value === undefined) throw new ModelError('invalid_request', `${origin} does not export \`script\``)
  return value
}

async function readText(path: string, origin: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).replace(/^\ufeff/, '')
  } catch (error) {
    throw new ModelError('invalid_request', `${origin} could not be read: ${getFirstLine(error)}`, { cause: error })
  }
}

function parseLines(text: string, origin: string): unknown[] {
  return text.split('\n').flatMap((line, index) => {
    return line.trim() === '' ? [] : [parseJson(line, `${origin}: line ${index + 1}`)]
  })
}

function parseJson(text: string, origin: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ModelError('invalid_request', `${origin}: invalid JSON: ${getFirstLine(error)}`, { cause: error })
  }
}

function getFirstLine(error: unknown): string {
  return reasonOf(error).split('\n', 1)[0] ?? ''
}
