import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import type { Run } from '../src/fleet/runs/run-store.js'
import { setTenant } from '../src/fleet/runs/tenants.js'
import { FleetFixture, testWithPostgres, usePostgres } from './lib/fleet-fixture.js'

const postgres = usePostgres()

async function withFleet(run: (fixture: FleetFixture) => Promise<void>): Promise<void> {
  const fixture = await FleetFixture.open(await postgres())
  try {
    await run(fixture)
  } finally {
    await fixture.close()
  }
}

function createRepository(folder: string): string {
  mkdirSync(folder)
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@t', ...args], { cwd: folder })
  git('init', '-q', '-b', 'main')
  writeFileSync(join(folder, 'a.txt'), 'one\n')
  git('add', '.')
  git('commit', '-q', '-m', 'first')
  return folder
}

testWithPostgres('a run leaves its answer, its steps, a patch, a branch and the files that were asked for', () =>
  withFleet(async (fixture) => {
    const repository = createRepository(join(fixture.folder, 'repository'))
    fixture.startWorker({ options: ['--local-repositories', fixture.folder] })
    const plan = { label: 'x', calls: 2, tools: ['Write', 'Bash'] }
    const id = await fixture.submit(plan, { repository: { url: repository }, artefacts: ['x-0.txt'] })
    const run = await fixture.waitFor(id)
    expect(run).toMatchObject({ state: 'succeeded', answer: 'done after 2 results', attempt: 1 })
    expect(fixture.readLog()).toEqual(['x-1'])
    const names = (await fixture.client.listSteps(id)).map(({ name }) => name).join(' | ')
    expect(names).toMatch(/start Write.*result.*start Bash.*result.*answer.*end/)
    const patch = await fixture.client.readBody(run.results?.patch?.hash ?? '')
    expect(patch.toString()).toContain('+x-0')
    expect((await fixture.client.readBody(run.results?.artefacts[0]?.hash ?? '')).toString()).toBe('x-0\n')
    const bundle = join(fixture.folder, 'run.bundle')
    writeFileSync(bundle, await fixture.client.readBody(run.results?.bundle?.hash ?? ''))
    execFileSync('git', ['fetch', '-q', bundle, `${run.results?.branch}:result`], { cwd: repository })
    expect(execFileSync('git', ['show', 'result:x-0.txt'], { cwd: repository }).toString()).toBe('x-0\n')
  }),
)

testWithPostgres(
  'submissions with one key are one run, and a run is paused, resumed, cancelled, retried and forked',
  () =>
    withFleet(async (fixture) => {
      const { client } = fixture
      const spec = { prompt: JSON.stringify({ label: 'k', calls: 2, log: fixture.log }) }
      const first = await client.submit({ spec, key: 'once' })
      expect(await client.submit({ spec, key: 'once' })).toEqual({ id: first.id, isNew: false })
      await client.pause(first.id)
      fixture.startWorker()
      const other = await fixture.submit({ label: 'other', calls: 1 })
      expect((await fixture.waitFor(other)).state).toBe('succeeded')
      expect((await client.runs.get(first.id)).state).toBe('paused')
      await client.resume(first.id)
      expect((await fixture.waitFor(first.id)).state).toBe('succeeded')

      const long = await fixture.submit({ label: 'long', calls: 1, sleep: 600 })
      await vi.waitFor(() => expect(fixture.readLog()).toContain('long-0'), { timeout: 60_000 })
      await client.cancel(long)
      await expect(client.cancel(long)).rejects.toThrow(`Run ${long} is cancelled already; it cannot be cancelled.`)
      // The worker is free again.
      const retried = await client.retry(first.id)
      expect(await fixture.waitFor(retried.id)).toMatchObject({ state: 'succeeded', answer: 'done after 2 results' })

      const steps = await client.listSteps(first.id)
      const firstResult = steps.findIndex(({ name }) => name.includes('result')) + 1
      const forked = await client.fork(first.id, firstResult)
      const run = await fixture.waitFor(forked.id)
      expect(run).toMatchObject({ state: 'succeeded', forkedFrom: first.id, answer: 'done after 2 results' })
      const count = (label: string) => fixture.readLog().filter((line) => line === label).length
      // The first call was copied, the second one was made by the run, the retry and the fork.
      expect([count('k-0'), count('k-1')]).toEqual([2, 3])
    }),
)

testWithPostgres('a question waits without a worker, and its answer arrives although the worker was restarted', () =>
  withFleet(async (fixture) => {
    const options = ['--park-after', '0']
    const first = fixture.startWorker({ options, runOptions: [] })
    const id = await fixture.submit({ label: 'q', calls: 2, tools: ['Bash', 'AskUserQuestion'] }, { asks: true })
    await vi.waitFor(async () => expect((await fixture.client.runs.get(id)).state).toBe('waiting'), { timeout: 60_000 })
    const [question] = await fixture.client.questions.listOpen(id)
    expect(question).toMatchObject({ kind: 'permission', question: { tool: 'Bash' } })
    first.kill('SIGKILL')
    await first.exited
    await fixture.client.questions.answer(question?.id ?? '', { behavior: 'deny', message: 'not now' }, 'test')
    await expect(fixture.client.questions.answer(question?.id ?? '', { behavior: 'allow' }, 'test')).rejects.toThrow(
      'has an answer already',
    )
    fixture.startWorker({ options, runOptions: [] })
    const asked = await vi.waitFor(
      async () => {
        const [open] = await fixture.client.questions.listOpen(id)
        expect(open?.kind).toBe('questions')
        return open
      },
      { timeout: 60_000 },
    )
    const answers = [{ question: 'Which colour?', chosen: ['Blue'] }]
    await vi.waitFor(async () => expect((await fixture.client.runs.get(id)).state).toBe('waiting'), { timeout: 60_000 })
    await fixture.client.questions.answer(asked?.id ?? '', { answers }, 'test')
    await waitForEnd(fixture, id)
    const transcript = (await fixture.client.readTranscript(id)).join('\n')
    expect(transcript).toContain('A person has denied the call Bash')
    expect(transcript).toContain('not now')
    expect(transcript).toContain('A person has answered your earlier questions')
    expect(fixture.readLog()).toEqual([])
  }),
)

async function waitForEnd(fixture: FleetFixture, id: string): Promise<Run> {
  return vi.waitFor(
    async () => {
      const run = await fixture.client.runs.get(id)
      expect(run.state).toBe('succeeded')
      return run
    },
    { timeout: 60_000 },
  )
}

testWithPostgres('a worker that is ended finishes its runs or leaves them to another one', () =>
  withFleet(async (fixture) => {
    const first = fixture.startWorker({ options: ['--drain-timeout', '0', '--lease', '60'] })
    const id = await fixture.submit({ label: 'd', calls: 2, sleep: 2 })
    await vi.waitFor(() => expect(fixture.readLog()).toContain('d-0'), { timeout: 60_000 })
    first.kill('SIGTERM')
    expect(await first.exited).toBe(0)
    expect((await fixture.client.runs.get(id)).state).toBe('queued')
    fixture.startWorker()
    expect(await fixture.waitFor(id)).toMatchObject({ state: 'succeeded', attempt: 2 })
  }),
)

testWithPostgres('a tenant without budget starts nothing, and a run ends when the budget is used up', () =>
  withFleet(async (fixture) => {
    await setTenant(fixture.fleet.database, 'poor', { budgetTokens: 20_000 })
    fixture.startWorker()
    const id = await fixture.submit({ label: 'b', calls: 50 }, {}, 'poor')
    const run = await fixture.waitFor(id, 'poor')
    expect(run).toMatchObject({ state: 'failed', endReason: 'tenant_budget' })
    expect(run.tokens).toBeGreaterThanOrEqual(20_000)
    const refused = await fixture.submit({ label: 'c', calls: 0 }, {}, 'poor')
    const allowed = await fixture.submit({ label: 'e', calls: 0 })
    await fixture.waitFor(allowed)
    expect((await fixture.fleet.tenant('poor').runs.get(refused)).state).toBe('queued')
  }),
)

testWithPostgres('keys of the worker and the address of the database are nowhere in the journal', () =>
  withFleet(async (fixture) => {
    const secrets = { ANTHROPIC_API_KEY: 'sk-ant-not-in-the-journal', PGPASSWORD: 'pg-not-in-the-journal' }
    const worker = fixture.startWorker({ variables: secrets })
    const commands = [
      'env',
      'cat /proc/$PPID/environ | tr "\\0" "\\n"',
      `cat /proc/${worker.pid}/environ | tr "\\0" "\\n"`,
    ]
    const inputs = commands.map((command) => ({ command }))
    const run = await fixture.waitFor(await fixture.submit({ label: 's', calls: 3, inputs }))
    expect(run.state).toBe('succeeded')
    const tables = await fixture.fleet.database.query<{ text: string }>(
      `SELECT output AS text FROM dbos.operation_outputs UNION ALL SELECT inputs FROM dbos.workflow_status
       UNION ALL SELECT row_to_json(r)::text FROM haft_fleet.runs r`,
    )
    const stored = tables.map(({ text }) => text).join('\n')
    expect(stored).toContain('HOME=')
    for (const secret of [...Object.values(secrets), encodeURIComponent((await postgres()).folder)])
      expect(stored).not.toContain(secret)
  }),
)
