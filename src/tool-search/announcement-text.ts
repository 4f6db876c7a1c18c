import { displayServerNames } from '../contract/mcp/name.js'
import { type DeferredName, shortLines } from './server-lines.js'

/** What changed since the model was last told. */
export interface NamedChanges {
  readonly added: readonly DeferredName[]
  readonly removed: readonly DeferredName[]
  /** Servers that began to connect, and servers that no longer do. */
  readonly connecting: readonly string[]
  readonly settled: readonly string[]
}

/** Within so many characters tools are announced by name, the changes included. */
const ANNOUNCEMENT_CHARS = 4_000
/** Room for the sentences around the lists. */
const FRAME_CHARS = 1_100

/** The list at the start of a conversation. */
export function fullText(tools: readonly DeferredName[], pending: readonly string[]): string {
  const frame = (lines: readonly string[]) =>
    ['<available-deferred-tools>', ...lines, ...pendingLine(pending), '</available-deferred-tools>'].join('\n')
  const named = frame(tools.map(({ name }) => name))
  if (named.length <= ANNOUNCEMENT_CHARS) return named
  const heading =
    'There are more tools than can be named here: ToolSearch finds the tools of each server by words or by name.'
  return frame([heading, ...shortLines(tools, ANNOUNCEMENT_CHARS - FRAME_CHARS)])
}

/** A change later on. What was spent on names before is not there any more. */
export function changeText(changes: NamedChanges, spent: number): string {
  const named = changeFrame(changes, (tools) => tools.map(({ name }) => name))
  if (spent + named.length <= ANNOUNCEMENT_CHARS) return named
  return changeFrame(changes, (tools) => shortLines(tools, (ANNOUNCEMENT_CHARS - FRAME_CHARS) / 2))
}

function changeFrame(
  { added, removed, connecting, settled }: NamedChanges,
  list: (tools: readonly DeferredName[]) => readonly string[],
): string {
  return [
    '<system-reminder>',
    ...(added.length === 0 ? [] : ['More deferred tools, which ToolSearch loads:', ...list(added)]),
    ...(removed.length === 0 ? [] : ['These tools are gone, and calls to them fail:', ...list(removed)]),
    ...pendingLine(connecting),
    ...(settled.length === 0 ? [] : [`No longer connecting: ${displayServerNames(settled)}.`]),
    '</system-reminder>',
  ].join('\n')
}

function pendingLine(servers: readonly string[]): readonly string[] {
  if (servers.length === 0) return []
  return [`Still connecting: ${displayServerNames(servers)}. Search again later for their tools.`]
}
