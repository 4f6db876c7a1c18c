import { expect, test } from 'vitest'
import { NO_USAGE } from '../../../contract/model/model.js'
import { ModelError, type ModelErrorKind } from '../../../contract/model/model-error.js'
import type { EndReason, QueryEnd } from '../../../session/conversation/session-event.js'
import { exitCodeOf, subtypeOf } from './turn-result.js'

const end = (reason: EndReason, overrides: Partial<QueryEnd> = {}): QueryEnd => ({
  ...{ reason, text: '', turns: 1, usage: NO_USAGE, costUsd: 0, denials: [] },
  ...overrides,
})
const toDenial = (toolUseId: string) => ({ toolUseId, toolName: 'Bash', reason: 'no' })
const toFailedEnd = (kind: ModelErrorKind) => end('model_failed', { error: new ModelError(kind, 'it failed') })

test.each([
  [end('completed'), 0],
  [end('refused'), 1],
  [end('max_output'), 1],
  [end('context_full'), 1],
  [end('stopped_by_hook'), 1],
  [end('stuck'), 1],
  [toFailedEnd('overloaded'), 1],
  [toFailedEnd('invalid_request'), 1],
  [end('stopped_by_permissions'), 3],
  [end('max_turns'), 4],
  [end('max_budget'), 4],
  [toFailedEnd('unauthorised'), 5],
  [toFailedEnd('unknown_model'), 5],
  [end('interrupted'), 130],
])('a prompt that ends with %j has exit code %i', (turnEnd, code) => {
  expect(exitCodeOf(turnEnd, { lastResultIds: [] })).toBe(code)
})

test('a prompt exits with the permission code only if its answer follows a denied call directly', () => {
  const turnEnd = end('completed', { denials: [toDenial('a')] })
  expect(exitCodeOf(turnEnd, { lastResultIds: ['a', 'b'] })).toBe(3)
  expect(exitCodeOf(turnEnd, { lastResultIds: ['c'] })).toBe(0)
})

test('only a completed prompt has the subtype success', () => {
  expect(subtypeOf({ reason: 'completed' })).toBe('success')
  expect(subtypeOf({ reason: 'max_turns' })).toBe('error_max_turns')
  expect(subtypeOf({ reason: 'max_budget' })).toBe('error_max_budget_usd')
  expect(subtypeOf({ reason: 'interrupted' })).toBe('error_during_execution')
})
