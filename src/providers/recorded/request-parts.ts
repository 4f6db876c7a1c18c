import type { ModelRequest } from '../../contract/model.js'
import { contentHash } from '../../shared/content-hash.js'

const HASH_LENGTH = 16

/** A request as hashes of what a model reads of it, each after a word that tells which it is. */
export interface RequestParts {
  readonly hash: string
  readonly system: readonly string[]
  readonly tools: readonly string[]
  readonly messages: readonly string[]
}

export function requestParts({ system, tools, messages }: ModelRequest): RequestParts {
  const parts = {
    system: system.map((part) => `part ${hashOf(part)}`),
    tools: tools.map((tool) => `${tool.name} ${hashOf(tool)}`),
    // Without ids, which no model reads.
    messages: messages.map(({ type, content }) => `${type} ${hashOf(content)}`),
  }
  return { hash: hashOf(parts), ...parts }
}

/** Where two requests first differ, in words; undefined where they do not. */
export function differenceOf(recorded: RequestParts, asked: RequestParts): string | undefined {
  for (const list of ['system', 'tools', 'messages'] as const) {
    const [before, now] = [recorded[list], asked[list]]
    const index = now.findIndex((part, at) => part !== before[at])
    if (index >= 0) return `${list}[${index}] (${wordOf(now[index])}${index < before.length ? '' : ', which is new'})`
    if (now.length < before.length) return `${list}[${now.length}] (${wordOf(before[now.length])}, which is missing)`
  }
  return undefined
}

function wordOf(part = ''): string {
  return part.slice(0, part.lastIndexOf(' '))
}

/** The id of a session stands in the paths of its results, and is another in each run. */
const RANDOM_ID = /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi

function hashOf(value: unknown): string {
  const text = JSON.stringify(value).replaceAll(RANDOM_ID, 'ID')
  return contentHash(Buffer.from(text)).slice(0, HASH_LENGTH)
}
