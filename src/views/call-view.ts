import type { CommandAnalysis } from '../contract/command.js'
import { TOOL_SUMMARY_MAX_LENGTH } from '../contract/limits.js'
import type { Tool } from '../contract/tool/tool.js'
import { hasDefault, isCallDestructive } from '../contract/tool/traits.js'
import type { GroupedToolUse, ViewOptions } from '../contract/tool/views.js'
import { block, inline, text } from '../contract/view-builders.js'
import type { View } from '../contract/views.js'
import { formatCounted } from '../shared/counted.js'
import { shortenText } from '../shared/cut-text.js'
import { isRecord } from '../shared/is-record.js'
import {
  describeArguments,
  describeDefaultResult,
  describeProgress,
  formatArguments,
  shortenLines,
} from './default-views.js'
import { renderPlainText } from './plain-text.js'

/** The state of a call, which decides what is displayed below its title. */
export type CallState = 'queued' | 'waiting-for-permission' | 'running' | 'done' | 'rejected' | 'failed'

/** What is known about a call. Each surface collects it from the events of the call. */
export interface CallFacts {
  readonly toolName: string
  /** Undefined if there is no such tool, or its server is not connected. */
  readonly tool?: Tool | undefined
  readonly toolUseId?: string | undefined
  readonly state: CallState
  /** The input; only a part of it while the model streams it. */
  readonly input: unknown
  /** The analysis of the command that the call runs, if the surface has it. */
  readonly command?: CommandAnalysis | undefined
  readonly progress?: readonly unknown[] | undefined
  /** What the tool returned, if this process ran it. */
  readonly output?: unknown
  /** The stored view of the result, if another process ran the call. */
  readonly shown?:
    | {
        readonly view: View
        readonly isTruncated: boolean
        /** What the tool gave for search, if the view is truncated. */
        readonly searchText?: string
        readonly isRefused?: boolean
      }
    | undefined
  /** The text of the result that the model reads. */
  readonly resultText?: string | undefined
  /** Why the call was denied or cancelled, for the user. `resultText` is written for the model. */
  readonly failureText?: string | undefined
}

/** How a call is displayed, on every surface. */
export interface CallDescription {
  /** One line: the name of the tool, a short form of its input, and its tag. */
  readonly title: View
  /** What the call is about to do, its progress, result or error, below the title. */
  readonly body?: View
  /** Whether `verbose` shows more. */
  readonly isTruncated: boolean
  /** What the call is doing, shown next to the spinner. */
  readonly activity: string
  /** The call in at most `TOOL_SUMMARY_MAX_LENGTH` characters, for titles and lists. */
  readonly summary?: string
  /** Consecutive calls with the same group are shown together: those that search or read, and those of a tool with a view for groups. */
  readonly group?: string
  /** Whether the call only wraps others, which are displayed instead. */
  readonly isHidden: boolean
  /** Whether the call waits for an answer from the user while it runs. */
  readonly isInteractive: boolean
  /** Whether the call may destroy data; only set while it waits for permission. */
  readonly isDestructive: boolean
}

/** Describes a call with the views of its tool. A view that is missing or fails is replaced by the default. */
export function describeCall(call: CallFacts, options: ViewOptions): CallDescription {
  const { tool, toolName } = call
  const input = isRecord(call.input) ? call.input : {}
  const name = attempt(() => tool?.userFacingName(input)) || toolName
  const { body, isTruncated } = describeBody(call, input, options)
  const summary = summarise(tool, input)
  const group = findGroup(call)
  return {
    title: describeTitle(call, input, options),
    ...(body !== undefined && { body }),
    isTruncated,
    activity: toOneLine(attempt(() => tool?.getActivityDescription?.(input)) ?? `Calling ${name}`),
    ...(summary !== undefined && { summary }),
    ...(group !== undefined && { group }),
    isHidden: attempt(() => tool?.isTransparentWrapper?.()) === true,
    isInteractive: attempt(() => tool?.requiresUserInteraction?.()) === true,
    isDestructive:
      call.state === 'waiting-for-permission' && (tool === undefined || isCallDestructive(tool, input, call.command)),
  }
}

/**
 * Describes consecutive calls together: with the view of their tool, or, if several tools search and read, by the numbers
 * of their calls. Returns undefined if they should be shown one by one.
 */
export function describeGroup(calls: readonly CallFacts[], options: ViewOptions): CallDescription | undefined {
  const [firstCall] = calls
  if (firstCall === undefined || calls.length < 2) return undefined
  const isSameTool = calls.every(({ toolName }) => toolName === firstCall.toolName)
  const ownView = isSameTool
    ? toView(attempt(() => firstCall.tool?.renderGroupedToolUse?.(calls.map(toGroupedUse), options)))
    : undefined
  const title = ownView ?? describeFold(calls)
  if (title === undefined) return undefined
  const { activity } = describeCall(calls.find(({ state }) => state === 'running') ?? firstCall, options)
  return {
    title,
    isTruncated: true,
    activity,
    isHidden: false,
    isInteractive: false,
    isDestructive: false,
  }
}

/** Returns the text of a call for search in the transcript. It contains only what the views show. */
export function searchTextOf({ tool, output, shown, resultText = '' }: CallFacts): string {
  if (shown !== undefined && !shown.isTruncated) return renderPlainText(shown.view)
  // Expanded, a stored result shows its text, so both are searched.
  if (shown?.searchText !== undefined) return `${shown.searchText}\n${resultText}`
  const ownText = output === undefined ? undefined : attempt(() => tool?.extractSearchText?.(output))
  return typeof ownText === 'string' ? ownText : resultText
}

function describeTitle(call: CallFacts, input: Record<string, unknown>, options: ViewOptions): View {
  const { tool, toolName } = call
  const name = toOneLine(attempt(() => tool?.userFacingName(input)) || toolName)
  const tone = attempt(() => tool?.userFacingNameBackgroundColor?.(input))
  const parts: View[] = [text(name, { bold: true, ...(tone !== undefined && { tone }) })]
  const message = describeUse(tool, input, options)
  if (!isEmpty(message)) parts.push(' ', message)
  const tag = toView(attempt(() => tool?.renderToolUseTag?.(input)))
  if (!isEmpty(tag)) parts.push(' ', tag)
  return inline(...parts)
}

/** Describes the input of a call. Skips the default view of the contract, which repeats the name: the title already has it. */
function describeUse(tool: Tool | undefined, input: Record<string, unknown>, options: ViewOptions): View | undefined {
  if (tool !== undefined && !hasDefault(tool, 'renderToolUseMessage')) {
    const message = toView(attempt(() => tool.renderToolUseMessage(input, options)))
    if (message !== undefined) return message
  }
  const line = summarise(tool, input) ?? formatArguments(input, options)
  return line === '' ? undefined : text(line, 'muted')
}

interface Body {
  readonly body?: View | undefined
  readonly isTruncated: boolean
}

function describeBody(call: CallFacts, input: Record<string, unknown>, options: ViewOptions): Body {
  const { tool, progress = [], resultText = '' } = call
  switch (call.state) {
    case 'queued':
      return { body: toView(attempt(() => tool?.renderToolUseQueuedMessage?.())), isTruncated: false }
    case 'waiting-for-permission':
      return { body: describeIntent(tool, input, options), isTruncated: false }
    case 'running': {
      const ownView = toView(attempt(() => tool?.renderToolUseProgressMessage?.(progress, options)))
      return { body: ownView ?? describeProgress(progress.at(-1)), isTruncated: false }
    }
    case 'rejected': {
      const reasonText = call.failureText ?? (resultText === '' ? 'Not allowed' : resultText)
      const reason = text(shortenLines(reasonText, options).text, 'warning')
      // The title already shows a command, but not an edit.
      const intent =
        tool?.command === undefined
          ? toView(attempt(() => tool?.renderToolUseRejectedMessage?.(input, options)))
          : undefined
      return { body: intent === undefined ? reason : block(reason, intent), isTruncated: false }
    }
    case 'failed':
      if (call.failureText !== undefined) return { body: text(call.failureText, 'warning'), isTruncated: false }
      return describeResult(call, options) ?? describeError(call, options)
    case 'done':
      return describeResult(call, options) ?? describeDefaultResult(resultText, options)
  }
}

/** Returns what the call would do, for the permission question: the tool's own view, or the arguments. */
function describeIntent(
  tool: Tool | undefined,
  input: Record<string, unknown>,
  options: ViewOptions,
): View | undefined {
  return toView(attempt(() => tool?.renderToolUseRejectedMessage?.(input, options))) ?? describeArguments(input)
}

function describeResult({ tool, output, shown, progress = [] }: CallFacts, options: ViewOptions): Body | undefined {
  if (output === undefined) {
    // A truncated view lacks what `verbose` should show, so the text of the result is used instead.
    const isShown = shown !== undefined && !(shown.isTruncated && options.verbose)
    return isShown ? { body: shown.view, isTruncated: shown.isTruncated } : undefined
  }
  const body = toView(attempt(() => tool?.renderToolResultMessage?.(output, progress, options)))
  if (body === undefined) return undefined
  return { body, isTruncated: attempt(() => tool?.isResultTruncated?.(output)) === true }
}

function describeError({ tool, resultText = '' }: CallFacts, options: ViewOptions): Body {
  const ownView = toView(attempt(() => tool?.renderToolUseErrorMessage?.(resultText, options)))
  const { text: shortText, isTruncated } = shortenLines(resultText === '' ? 'The call failed.' : resultText, options)
  return { body: ownView ?? text(shortText, 'error'), isTruncated }
}

function summarise(tool: Tool | undefined, input: Record<string, unknown>): string | undefined {
  const summary = attempt(() => tool?.getToolUseSummary?.(input))
  return typeof summary === 'string' && summary.trim() !== ''
    ? shortenText(toOneLine(summary), TOOL_SUMMARY_MAX_LENGTH)
    : undefined
}

type FoldKind = 'search' | 'read' | 'list'

function findFoldKind({ tool, input }: CallFacts): FoldKind | undefined {
  const kind = attempt(() => tool?.isSearchOrReadCommand?.(isRecord(input) ? input : {}))
  if (kind?.isList === true) return 'list'
  if (kind?.isRead === true) return 'read'
  return kind?.isSearch === true ? 'search' : undefined
}

function findGroup(call: CallFacts): string | undefined {
  if (findFoldKind(call) !== undefined) return 'reads and searches'
  return call.tool?.renderGroupedToolUse === undefined ? undefined : `calls of ${call.toolName}`
}

/** Describes calls that all search or read: `Read 3 files, searched 2 times`. */
function describeFold(calls: readonly CallFacts[]): View | undefined {
  const kinds = calls.map(findFoldKind)
  if (kinds.includes(undefined)) return undefined
  const count = (kind: FoldKind) => kinds.filter((candidate) => candidate === kind).length
  const parts = [
    ...(count('read') > 0 ? [`read ${formatCounted(count('read'), 'file')}`] : []),
    ...(count('search') > 0 ? [`searched ${formatTimes(count('search'))}`] : []),
    ...(count('list') > 0 ? [`listed files ${formatTimes(count('list'))}`] : []),
  ]
  const sentence = parts.join(', ')
  const failedCount = calls.filter(({ state }) => state === 'failed' || state === 'rejected').length
  const title = text(sentence.charAt(0).toUpperCase() + sentence.slice(1), { bold: true })
  return failedCount === 0 ? title : inline(title, text(`, ${failedCount} failed`, 'error'))
}

function formatTimes(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

function toGroupedUse(call: CallFacts, index: number): GroupedToolUse<unknown, unknown, unknown> {
  const { toolUseId = String(index), input, state, progress = [], output } = call
  return {
    toolUseId,
    input: isRecord(input) ? input : {},
    state: state === 'waiting-for-permission' ? 'queued' : state,
    progress,
    ...(output !== undefined && { output }),
  }
}

/** Returns the value if it is a view. A tool written without TypeScript may return anything; other values count as missing. */
function toView(value: unknown): View | undefined {
  if (typeof value === 'string' || Array.isArray(value)) return value as View
  return isRecord(value) && typeof value.type === 'string' ? (value as unknown as View) : undefined
}

function isEmpty(view: View | undefined): view is undefined {
  return view === undefined || renderPlainText(view) === ''
}

/** Calls the view of a tool, which may throw, for example on a partial input. The default is shown then. */
function attempt<T>(view: () => T): T | undefined {
  try {
    return view()
  } catch {
    return undefined
  }
}

function toOneLine(value: string): string {
  return String(value).replace(/\s+/g, ' ').trim()
}
