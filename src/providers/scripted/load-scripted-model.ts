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
 * The model of a script file: `.json` (a list of turns, or an object with them), `.jsonl` (a turn a line) or `.mjs`,
 * which exports it as `script` and may have functions among the turns. Fails with one line that says where.
 */
export async function loadScriptedModel(path: string): Promise<Model> {
  const origin = `Script ${basename(path)}`
  return createScriptedModel(parseScript(await valueIn(path, origin), origin))
}

async function valueIn(path: string, origin: string): Promise<unknown> {
  const kind = extname(path)
  if (kind === '.mjs' || kind === '.js') return await exported(path, origin)
  if (kind === '.json') return parseJson(await textIn(path, origin), origin)
  if (kind === '.jsonl') return linesOf(await textIn(path, origin), origin)
  throw new ModelError('invalid_request', `${origin}: its name must end with .json, .jsonl or .mjs`)
}

async function exported(path: string, origin: string): Promise<unknown> {
  // What the loader says of a file that is not there names files of ours.
  await textIn(path, origin)
  const module: unknown = await import(pathToFileURL(resolve(path)).href).catch((error: unknown) => {
    throw new ModelError('invalid_request', `${origin}: ${oneLine(error)}`, { cause: error })
  })
  const value = isRecord(module) ? (module.script ?? module.default) : undefined
  if (value === undefined) throw new ModelError('invalid_request', `${origin}: exports no \`script\``)
  return value
}

async function textIn(path: string, origin: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).replace(/^\ufeff/, '')
  } catch (error) {
    throw new ModelError('invalid_request', `${origin}: cannot be read: ${oneLine(error)}`, { cause: error })
  }
}

function linesOf(text: string, origin: string): unknown[] {
  return text.split('\n').flatMap((line, index) => {
    return line.trim() === '' ? [] : [parseJson(line, `${origin}: line ${index + 1}`)]
  })
}

function parseJson(text: string, origin: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ModelError('invalid_request', `${origin}: no JSON: ${oneLine(error)}`, { cause: error })
  }
}

function oneLine(error: unknown): string {
  return reasonOf(error).split('\n', 1)[0] ?? ''
}
