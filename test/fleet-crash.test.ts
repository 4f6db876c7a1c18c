import { expect, vi } from 'vitest'
import { FleetFixture, type Plan, testWithPostgres, usePostgres, type WorkerProcess } from './lib/fleet-fixture.js'

const IS_LONG = process.env.HAFT_LONG_TESTS !== undefined
const RUN_COUNT = IS_LONG ? 50 : 4
const KILL_COUNT = IS_LONG ? 200 : 5
const CALLS = IS_LONG ? 12 : 6
const WORKER_COUNT = IS_LONG ? 4 : 2
const postgres = usePostgres()

testWithPostgres(
  `${KILL_COUNT} killed workers: no finished call again, every unknown call reported, all runs end`,
  async () => {
    const fixture = await FleetFixture.open(await postgres())
    try {
      const ids = new Map<string, Plan>()
      for (let index = 0; index < RUN_COUNT; index++) {
        const plan = { label: `r${index}`, calls: CALLS, tools: ['Bash', 'Write'] }
        ids.set(await fixture.submit(plan), plan)
      }
      const options = ['--lease', '2', '--slots', '8']
      const workers: WorkerProcess[] = Array.from({ length: WORKER_COUNT }, () => fixture.startWorker({ options }))
      const restartWhenEnded = (worker: WorkerProcess) => {
        void worker.exited.then(() => {
          if (!isDone) replace(worker)
        })
      }
      let isDone = false
      const replace = (worker: WorkerProcess) => {
        const next = fixture.startWorker({ options })
        workers[workers.indexOf(worker)] = next
        restartWhenEnded(next)
      }
      for (const worker of workers) restartWhenEnded(worker)
      let kills = 0
      let effects = 0
      const areAllDone = async () => {
        const runs = await fixture.client.runs.list({ limit: 1_000 })
        return runs.every(({ state }) => state === 'succeeded' || state === 'failed')
      }
      while (kills < KILL_COUNT && !(await areAllDone())) {
        // A kill follows every few effects, so that it hits runs in the middle of their work.
        await vi
          .waitFor(() => expect(fixture.readLog().length).toBeGreaterThan(effects), { timeout: 60_000 })
          .catch(() => undefined)
        effects = fixture.readLog().length
        const victim = workers[kills % workers.length]
        victim?.kill('SIGKILL')
        await victim?.exited
        kills++
      }
      await vi.waitFor(async () => expect(await areAllDone()).toBe(true), { timeout: 500_000, interval: 500 })
      isDone = true
      console.info(`kills: ${kills}, runs: ${RUN_COUNT}, effects: ${fixture.readLog().length}`)
      let unknownCount = 0
      for (const [id, plan] of ids) unknownCount += await checkRun(fixture, id, plan)
      console.info(`unknown calls reported to the model: ${unknownCount}`)
      expect(new Set(fixture.readLog()).size).toBe(fixture.readLog().length)
    } finally {
      await fixture.close()
    }
  },
)

/** Checks that each call has one result, and that the effect of every call without a known result was reported as unknown. */
async function checkRun(fixture: FleetFixture, id: string, plan: Plan): Promise<number> {
  const run = await fixture.client.runs.get(id)
  expect([run.state, run.answer, run.problem]).toEqual(['succeeded', `done after ${plan.calls} results`, undefined])
  const lines = (await fixture.client.readTranscript(id)).map((line) => JSON.parse(line))
  expect(lines[0]).toMatchObject({ type: 'session-started' })
  const outcomes = readOutcomes(lines)
  const log = new Set(fixture.readLog())
  let unknownCount = 0
  for (let call = 0; call < plan.calls; call++) {
    const text = outcomes[call] ?? ''
    if (text.includes('not known')) unknownCount++
    // Every second call writes to the log. Without a word about it, the model relies on the effect.
    else if (call % 2 === 0) {
      const wasNotRun = text.includes('so it was not run')
      expect([call, log.has(`${plan.label}-${call}`), text]).toEqual([call, !wasNotRun, text])
    }
  }
  return unknownCount
}

interface Block {
  readonly type: string
  readonly text?: string
  readonly content?: unknown
}

/** Returns what the model was told about each call, in order: a result, or a text about a call of an incomplete message. */
function readOutcomes(
  lines: readonly { readonly type: string; readonly message?: { type: string; content: unknown } }[],
) {
  const blocks = lines.flatMap(({ type, message }): readonly Block[] => {
    const isUserMessage = type === 'message-added' && message?.type === 'user'
    return isUserMessage && Array.isArray(message.content) ? message.content : []
  })
  return blocks.flatMap((block, index) => {
    if (block.type === 'tool_result') return [JSON.stringify(block.content)]
    return /^(?:Bash|Write)\(.*\):$/s.test(block.text ?? '') ? [blocks[index + 1]?.text ?? ''] : []
  })
}
