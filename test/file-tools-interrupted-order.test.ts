import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import type { CallOutcome } from '../src/calls/call-outcome.js'
import type { CallRun } from '../src/calls/call-run.js'
import type { ToolResultBlock } from '../src/contract/messages.js'
import type { Tool } from '../src/contract/tool/tool.js'
import { createSearch } from '../src/ports/search/create-search.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import { CallClock } from '../src/testing/call-clock.js'
import { type AnyFileCall, createBlock, generateFileCall } from '../src/testing/files/any-file-call.js'
import { FILE_TOOLS } from '../src/testing/files/file-calls.js'
import { createLinkedTree, readContents, resetAndReadTree } from '../src/testing/files/linked-tree.js'
import { PlacedCalls } from '../src/testing/files/placed-calls.js'
import { areInConflict, type TouchedFiles } from '../src/testing/files/touched-files.js'
import { createPropertyOptions } from '../src/testing/property-runs.js'
import { createSlowPorts } from '../src/testing/slow-ports.js'
import { textOf } from './runtime-fixtures.js'

/** With HAFT_LONG_TESTS set, the test takes minutes. */
vi.setConfig({ testTimeout: 900_000 })

const tree = createLinkedTree()
const TOOL_NAMES = FILE_TOOLS.map(({ name }) => name)
const permissions = { allow: TOOL_NAMES }

/** How and when the calls are interrupted. */
interface Interruption {
  readonly how: 'interrupt' | 'abort' | 'discard' | 'dispose'
  /**
   * The interruption comes after this many clock steps and then this many turns of the event loop, by which time the
   * calls that just woke up are using the disk.
   */
  readonly steps: number
  readonly turns: number
  /** This many of the calls are sent only after the interruption. */
  readonly lateCalls: number
  readonly maxConcurrency: number
  /** Tools whose calls are cancelled when the user interrupts; by default all of them are left to finish. */
  readonly cancellableTools: readonly string[]
  readonly pauses: readonly number[]
}

const anyInterruption: fc.Arbitrary<Interruption> = fc.record({
  how: fc.constantFrom('interrupt', 'abort', 'discard', 'dispose'),
  steps: fc.nat(25),
  turns: fc.nat(12),
  lateCalls: fc.nat(3),
  maxConcurrency: fc.integer({ min: 1, max: 5 }),
  cancellableTools: fc.subarray(TOOL_NAMES),
  pauses: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 7 }),
})

test('real calls interrupted at any moment are answered in order and report correctly which files they changed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(generateFileCall(tree), { minLength: 3, maxLength: 9 }),
      anyInterruption,
      async (calls, interruption) => {
        const observedRun = await runInterrupted(calls, interruption)
        const { added, outcomes } = observedRun

        const ids = added.map((_, index) => `call-${index}`)
        expect(outcomes.map(({ block }) => block.tool_use_id)).toEqual(ids)
        expect(observedRun.inOrder).toEqual(outcomes)
        expect(observedRun.ended.toSorted()).toEqual(ids)
        expect(outcomes.map(({ error }) => error?.code === 'cancelled')).toEqual(observedRun.expectedCancelled)
        expect(observedRun.overtakingCalls).toEqual([])
        expect(observedRun.lateChanges).toBe(0)
        const completedCalls = added.filter((_, index) => hasSucceeded(outcomes[index]?.block))
        const serialResults = await runSerially(completedCalls)
        expect({ files: observedRun.files, journal: observedRun.journal }).toEqual({
          files: serialResults.files,
          journal: [],
        })
        const resultPairs = completedCalls.map(({ index }, at) => [outcomes[index], serialResults.results[at]] as const)
        for (const [outcome, serialResult] of resultPairs)
          if (!outcome?.error) expect(sortLines(outcome?.block)).toEqual(sortLines(serialResult))
      },
    ),
    createPropertyOptions(80),
  )
})

interface AddedCall extends AnyFileCall {
  readonly index: number
}

type Log = readonly { readonly index: number; readonly eventType: 'start' | 'end' }[]

/** Runs the calls on a clock, interrupts them, and waits until everything has ended. */
async function runInterrupted(calls: readonly AnyFileCall[], interruption: Interruption) {
  const { how, lateCalls, maxConcurrency } = interruption
  const clock = new CallClock()
  const log: { index: number; eventType: 'start' | 'end' }[] = []
  let hasEnded = false
  let lateChanges = 0
  const files = await resetAndReadTree(tree)
  const ports = createSlowPorts({ files, search: createSearch() }, clock, interruption.pauses, () => {
    if (hasEnded) lateChanges++
  })
  const runtime = createToolRuntime({
    ...{ tools: createLoggingTools(interruption, log), cwd: tree.root, permissions, ports },
    onEvent: (event) => {
      clock.onEvent(event)
      placedCalls.onEvent(event)
    },
    // Long enough that no call is abandoned: each ends when the clock advances.
    scheduling: { maxConcurrency, graceMs: 600_000 },
  })
  const placedCalls = new PlacedCalls(tree.root)
  const abortController = new AbortController()
  const run = runtime.open({ signal: abortController.signal })
  const orderedOutcomes = collectOutcomes(run)
  const allCalls = calls.map((call, index): AddedCall => ({ ...call, index }))
  const earlyCalls = allCalls.slice(0, allCalls.length - lateCalls)
  const add = (call: AddedCall) => {
    placedCalls.add(call)
    run.add(createBlock(call, call.index))
  }
  for (const call of earlyCalls) add(call)
  await advanceClock(clock, interruption)

  const startedIds = new Set(clock.startedIds)
  const idsEndedBeforeInterruption = new Set(clock.endedIds)
  hasEnded = how !== 'interrupt'
  const pendingInterruption = interrupt(how, { run, abortController, dispose: () => runtime.dispose() })
  const addedCalls = how === 'abort' || how === 'interrupt' ? allCalls : earlyCalls
  for (const call of addedCalls.slice(earlyCalls.length)) add(call)
  run.end()
  await clock.waitUntilAllSleep()
  while (await clock.step());
  const outcomes = await run.outcomes()
  const discarded = await pendingInterruption
  if (discarded !== undefined)
    expect(discarded).toEqual(outcomes.filter(({ block }) => startedIds.has(block.tool_use_id)))
  if (hasEnded) expect(clock.startedIds).toEqual(startedIds)
  await runtime.dispose()
  const canBeCancelled = ({ name }: AddedCall) => how !== 'interrupt' || interruption.cancellableTools.includes(name)
  return {
    ...{ added: addedCalls, outcomes, lateChanges, ended: clock.endedIds, inOrder: await orderedOutcomes },
    expectedCancelled: addedCalls.map(
      (call) => canBeCancelled(call) && !idsEndedBeforeInterruption.has(`call-${call.index}`),
    ),
    overtakingCalls: findOvertakingCalls(placedCalls.touchedFiles, log),
    files: readContents(tree.root),
    journal: existsSync(JOURNAL_FOLDER) ? readdirSync(JOURNAL_FOLDER) : [],
  }
}

/** The folder in which changes to several files are logged while they are made. */
const JOURNAL_FOLDER = join(tree.root, '../journal')

async function advanceClock(clock: CallClock, { steps, turns }: Interruption): Promise<void> {
  await clock.waitUntilAllSleep()
  for (let step = 0; step < steps; step++) await clock.step()
  if (clock.sleeperCount > 0) clock.advance()
  for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
}

interface InterruptTarget {
  readonly run: CallRun
  readonly abortController: AbortController
  readonly dispose: () => Promise<void>
}

/** Interrupts the run. Only `discard` returns something: the outcomes of the calls that had started. */
async function interrupt(how: Interruption['how'], { run, abortController, dispose }: InterruptTarget) {
  if (how === 'interrupt') run.interrupt('wait')
  if (how === 'abort') abortController.abort()
  if (how === 'dispose') await dispose()
  return how === 'discard' ? run.discard('broke off') : undefined
}

async function collectOutcomes(run: CallRun): Promise<readonly CallOutcome[]> {
  const outcomes: CallOutcome[] = []
  for await (const outcome of run.streamOutcomesInOrder()) outcomes.push(outcome)
  return outcomes
}

function createLoggingTools(
  { cancellableTools }: Interruption,
  log: { index: number; eventType: 'start' | 'end' }[],
): readonly Tool[] {
  return FILE_TOOLS.map((tool) => {
    const call: Tool['call'] = async (input, context, ...otherArguments) => {
      const index = Number(context.toolUseId.slice('call-'.length))
      log.push({ index, eventType: 'start' })
      try {
        return await tool.call(input, context, ...otherArguments)
      } finally {
        log.push({ index, eventType: 'end' })
      }
    }
    return {
      ...tool,
      call,
      ...(cancellableTools.includes(tool.name) && { interruptBehavior: () => 'cancel' as const }),
    }
  })
}

/** Pairs of conflicting calls in which the later call started before the earlier one ended. */
function findOvertakingCalls(touchedFiles: readonly TouchedFiles[], log: Log): readonly string[] {
  return log.flatMap(({ index: later, eventType }, at) => {
    const laterEntries = log
      .slice(at)
      .filter(({ index }) => index < later && areInConflict(touchedFiles[index], touchedFiles[later]))
    return eventType === 'start'
      ? laterEntries.map((entry) => `${later} before the ${entry.eventType} of ${entry.index}`)
      : []
  })
}

/** Whether a call reports that it succeeded, even if its result is not delivered. */
function hasSucceeded(block: ToolResultBlock | undefined): boolean {
  return block?.is_error !== true || /its changes remain|It had finished/.test(textOf(block))
}

async function runSerially(calls: readonly AddedCall[]) {
  const files = await resetAndReadTree(tree)
  const runtime = createToolRuntime({ tools: FILE_TOOLS, cwd: tree.root, permissions, ports: { files } })
  const results: ToolResultBlock[] = []
  for (const call of calls) results.push(...(await runtime.run([createBlock(call, call.index)]).results))
  await runtime.dispose()
  return { results, files: readContents(tree.root) }
}

/** The sorted lines of a result: the order in which Glob lists files that were written in parallel is not guaranteed. */
function sortLines(block: ToolResultBlock | undefined): readonly string[] {
  return textOf(block).split('\n').sort()
}
