import * as z from 'zod'
import { cutText } from '../../shared/cut-text.js'
import { isRecord } from '../../shared/is-record.js'
import { toPrintable } from '../../shared/printable.js'
import { MAX_DESCRIPTION_CHARS } from '../tools/to-plain-line.js'
import { hashValue } from './hash-value.js'

/** The parts of a tool definition that the user approves. */
export interface PinnableTool {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly inputSchema?: unknown
  readonly outputSchema?: unknown
  readonly annotations?: unknown
}

/** An approved definition as stored: its hash for comparison, and enough detail to describe a change. */
export type PinnedTool = z.output<typeof pinnedToolSchema>

export const pinnedToolSchema = z.object({
  hash: z.string(),
  title: z.string(),
  description: z.string(),
  /** The hash of each parameter's schema. */
  parameters: z.record(z.string(), z.string()),
  input: z.string(),
  output: z.string(),
  annotations: z.record(z.string(), z.unknown()),
})

export function pinTool(tool: PinnableTool): PinnedTool {
  const { name, title = '', description = '', inputSchema = null, outputSchema = null, annotations = null } = tool
  return {
    hash: hashValue([name, title, description, inputSchema, outputSchema, annotations]),
    title,
    description: cutText(description, MAX_DESCRIPTION_CHARS),
    parameters: hashProperties(isRecord(inputSchema) ? inputSchema.properties : undefined),
    input: hashValue(inputSchema),
    output: hashValue(outputSchema),
    annotations: pickScalars(annotations),
  }
}

function hashProperties(properties: unknown): Record<string, string> {
  if (!isRecord(properties)) return {}
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, hashValue(schema)]))
}

/** Selects the scalar annotations for storage. Nested ones count only in the hash. */
function pickScalars(annotations: unknown): Record<string, unknown> {
  if (!isRecord(annotations)) return {}
  return Object.fromEntries(Object.entries(annotations).filter(([, value]) => typeof value !== 'object'))
}

const MAX_CHANGE_LINES = 8
const MAX_SHOWN_CHARS = 160
/** Number of unchanged characters shown around a change. */
const CONTEXT_CHARS = 24

/** Describes in a few lines of plain text what changed in a tool since it was approved. */
export function describeChange(toolBefore: PinnedTool, toolAfter: PinnedTool): string {
  const lines = [
    ...describeTextChange('title', toolBefore.title, toolAfter.title),
    ...describeTextChange('description', toolBefore.description, toolAfter.description),
    ...describeInputChanges(toolBefore, toolAfter),
    ...describeAnnotationChanges(toolBefore.annotations, toolAfter.annotations),
    ...(toolBefore.output === toolAfter.output ? [] : ['the output schema changed']),
  ].map(toPrintable)
  if (lines.length === 0) return 'its definition changed in a part that is not stored'
  const unlistedCount = lines.length - MAX_CHANGE_LINES
  return [
    ...lines.slice(0, MAX_CHANGE_LINES),
    ...(unlistedCount > 0 ? [`and ${unlistedCount} more changes`] : []),
  ].join('\n')
}

function describeInputChanges(toolBefore: PinnedTool, toolAfter: PinnedTool): readonly string[] {
  if (toolBefore.input === toolAfter.input) return []
  const changes = findKeyChanges(toolBefore.parameters, toolAfter.parameters).map(
    ({ key, change }) => `parameter ${toShortJson(key)} ${change}`,
  )
  return changes.length > 0 ? changes : ['the input schema changed']
}

function describeAnnotationChanges(
  annotationsBefore: Readonly<Record<string, unknown>>,
  annotationsAfter: Readonly<Record<string, unknown>>,
): readonly string[] {
  return findKeyChanges(annotationsBefore, annotationsAfter).map(({ key, change }) =>
    change === 'removed'
      ? `annotation ${toShortJson(key)} removed`
      : `annotation ${toShortJson(key)} is now ${toShortJson(annotationsAfter[key])}`,
  )
}

function findKeyChanges(
  fieldsBefore: Readonly<Record<string, unknown>>,
  fieldsAfter: Readonly<Record<string, unknown>>,
) {
  const keys = [...new Set([...Object.keys(fieldsBefore), ...Object.keys(fieldsAfter)])]
  return keys
    .filter((key) => fieldsBefore[key] !== fieldsAfter[key])
    .map((key) => {
      const change = !Object.hasOwn(fieldsBefore, key)
        ? 'added'
        : Object.hasOwn(fieldsAfter, key)
          ? 'changed'
          : 'removed'
      return { key, change }
    })
}

/** Describes the change of a text field: the part that differs, with some context. */
function describeTextChange(field: string, textBefore: string, textAfter: string): readonly string[] {
  if (textBefore === textAfter) return []
  const minLength = Math.min(textBefore.length, textAfter.length)
  let start = 0
  while (start < minLength && textBefore[start] === textAfter[start]) start++
  let end = 0
  while (end < minLength - start && textBefore.at(-1 - end) === textAfter.at(-1 - end)) end++
  return [`${field}: ${quoteExcerpt(textBefore, start, end)} is now ${quoteExcerpt(textAfter, start, end)}`]
}

function quoteExcerpt(text: string, start: number, endLength: number): string {
  const from = Math.max(0, start - CONTEXT_CHARS)
  const to = Math.min(text.length, text.length - endLength + CONTEXT_CHARS)
  return `${from > 0 ? '…' : ''}${toShortJson(text.slice(from, to))}${to < text.length ? '…' : ''}`
}

function toShortJson(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > MAX_SHOWN_CHARS ? `${cutText(text, MAX_SHOWN_CHARS)}…` : text
}
