import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { toScheduleFolder } from '../src/ports/schedule/schedule-folder.js'
import { ScheduleStore } from '../src/ports/schedule/schedule-store.js'
import { call, createHeadlessFixture } from './lib/headless-fixture.js'

const { at, file, writeModel, writeProgram, run, start } = createHeadlessFixture()

const openStore = () => new ScheduleStore(toScheduleFolder(at('home'), at('project')), at('project'))
const TASK_COUNT = process.env.HAFT_LONG_TESTS ? 200 : 12
const SERVICE_COUNT = 3

test('three services that are killed at the due moment start each run exactly once', async () => {
  const store = openStore()
  const appendLine = call('Bash', { command: 'echo run >> $PWD/log.txt' })
  const model = await writeModel([appendLine, 'Done.'])
  const runOptions = ['--', ...model, '--allowed-tools', 'Bash']
  const startService = () => start(['schedule', 'run', '--max-runs', '2', ...runOptions])
  const services = Array.from({ length: SERVICE_COUNT }, startService)
  for (let count = 0; count < TASK_COUNT; count++) {
    await store.createOnce(`Task ${count}`, Date.now())
    if (count % 4 !== 1) continue
    // As soon as one of the services has claimed a run, it is killed.
    await expect.poll(() => store.read().tasks.some(({ runs }) => runs.at(-1)?.state === 'running')).toBe(true)
    const victim = services.shift()
    victim?.child.kill('SIGKILL')
    services.push(startService())
  }
  await expect.poll(() => store.read().tasks.every(({ endedAt }) => endedAt !== undefined)).toBe(true)
  for (const service of services) service.child.kill('SIGTERM')
  await Promise.all(services.map(({ exited }) => exited))

  const { tasks } = store.read()
  expect(tasks.map(({ runs }) => runs.map(({ state }) => state))).toEqual(tasks.map(() => ['completed']))
  expect(new Set(tasks.flatMap(({ runs }) => runs.map(({ session }) => session))).size).toBe(TASK_COUNT)
  expect(listSessionIds()).toHaveLength(TASK_COUNT)
  expect(readFileSync(file('log.txt'), 'utf8')).toBe('run\n'.repeat(TASK_COUNT))
})

function listSessionIds(): readonly string[] {
  const root = join(at('home'), '.haft', 'projects')
  return readdirSync(root, { recursive: true }).flatMap((name) =>
    String(name).endsWith('.jsonl') ? [String(name)] : [],
  )
}

test('a run whose own process is killed is resumed, and its finished call is not repeated', async () => {
  const store = openStore()
  const { id } = await store.createOnce('Do it', Date.now())
  // The script decides by the conversation, because a resumed run begins it again.
  const model = await writeProgram(`Array(6).fill((request) => [
    use('Bash', { command: 'echo first >> log.txt' }),
    use('Bash', { command: 'echo x > waiting; while [ ! -e go ]; do sleep 0.05; done' }),
    'Done.',
  ][results(request).length])`)
  const service = start(['schedule', 'run', '--', ...model, '--allowed-tools', 'Bash'])
  await expect.poll(() => readFileIfPresent('waiting')).not.toBe('')
  const owner = store.read().tasks[0]?.runs[0]?.owner ?? ''
  process.kill(Number(owner.split('-')[1]), 'SIGKILL')
  await writeFile(file('go'), '')
  await expect.poll(() => store.read().tasks.find((task) => task.id === id)?.endedAt).toBeDefined()
  service.child.kill('SIGTERM')
  await service.exited
  expect(store.read().tasks[0]?.runs).toMatchObject([{ state: 'completed', attempts: 2 }])
  expect(readFileSync(file('log.txt'), 'utf8')).toBe('first\n')
  expect(listSessionIds()).toHaveLength(1)
})

function readFileIfPresent(name: string): string {
  try {
    return readFileSync(file(name), 'utf8')
  } catch {
    // Not written yet.
    return ''
  }
}

test('tasks are added, listed, run and deleted on the command line', async () => {
  const added = await run(['schedule', 'add', '30 8 * * 1-5', 'Summarise the changes', '--timezone', 'Europe/Berlin'])
  expect(added.code).toBe(0)
  expect(added.stdout).toContain('1  30 8 * * 1-5  Summarise the changes')
  expect((await run(['schedule', 'list'])).stdout).toMatch(/next {2}\d{4}-\d\d-\d\d 08:30 Europe\/Berlin/)
  const listed = JSON.parse((await run(['schedule', 'list', '--json'])).stdout)
  expect(listed).toMatchObject([{ id: '1', cron: '30 8 * * 1-5', durable: true, ifMissed: 'run_once', runs: [] }])

  await openStore().createOnce('Say hello', Date.now())
  const model = await writeModel(['Hello from the schedule.'])
  const ranOnce = await run(['schedule', 'run', '--once', '--', ...model])
  expect(ranOnce.stdout).toMatch(/task 2 in .*: started, session .*\n.*task 2 in .*: completed\n/)
  expect((await run(['schedule', 'log', '2'])).stdout).toContain('Hello from the schedule.')

  expect((await run(['schedule', 'delete', '1'])).stdout).toBe('Deleted scheduled task 1.\n')
  expect((await run(['schedule', 'list'])).stdout).toContain('No scheduled tasks in')
})

test.each([
  [['schedule', 'add', '61 * * * *', 'x'], 'is not a cron expression'],
  [['schedule', 'add', '* * * * *'], 'expected two arguments in quotes'],
  [['schedule', 'delete', '9'], 'there is no scheduled task "9"'],
  [['schedule', 'nonsense'], 'unknown action "nonsense"'],
  [['schedule', 'run', '--listen', 'x'], 'invalid --listen "x"'],
  [['schedule', 'run', '--host', '0.0.0.0'], '--host needs --listen PORT'],
])('haft %j is one line and exit code 2', async (args, message) => {
  const { code, stderr, stdout } = await run(args)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(message)
  expect(stderr.trim().split('\n')).toHaveLength(1)
})

test('the model schedules durable tasks by approval; a session that ends with its answer keeps no other tasks', async () => {
  const task = { cron: '0 7 * * *', prompt: 'Check the build' }
  const model = await writeModel([
    call('CronCreate', task),
    call('CronCreate', { ...task, durable: true }),
    call('CronList', {}),
    call('RemoteTrigger', { prompt: 'Review', worker: 'nowhere' }),
    'Scheduled.',
  ])
  const print = async (...options: string[]) => {
    const { stdout } = await run(['-p', 'Plan it', ...model, '--output-format', 'stream-json', ...options])
    return stdout
  }
  const denied = await print()
  expect(denied).toContain('This session ends with its answer, so a task in it would never run. Set durable to true.')
  expect(denied).toContain('There are no scheduled tasks.')
  expect(openStore().read().tasks).toEqual([])

  const allowed = await print('--allowed-tools', 'CronCreate, RemoteTrigger(nowhere)')
  expect(allowed).toContain('1 [0 7 * * *')
  expect(allowed).toContain('There is no worker \\"nowhere\\". No workers are configured; leave worker out')
  expect(openStore().read().tasks).toMatchObject([{ id: '1', cron: '0 7 * * *', prompt: 'Check the build' }])
})

test('a scheduled prompt of the model runs no slash command, one of the user does', async () => {
  await mkdir(at('home', '.haft', 'commands'), { recursive: true })
  await writeFile(at('home', '.haft', 'commands', 'deploy.md'), 'Deploy $ARGUMENTS now')
  const model = await writeProgram(
    "Array(3).fill((request) => ({ text: messagesText(request).includes('Deploy prod now') ? 'EXPANDED' : 'PLAIN' }))",
  )
  await openStore().createOnce('/deploy prod', Date.now())
  await run(['schedule', 'run', '--once', '--', ...model])
  expect((await run(['schedule', 'log', '1'])).stdout).toContain('PLAIN')
  const cron = { cron: '* * * * *', recurring: false, durable: true }
  const { id } = await openStore().create({ ...cron, prompt: '/deploy prod' }, 'user')
  const file = join(openStore().folder, 'schedule.json')
  // The time passes: the next full minute has come.
  await writeFile(file, readFileSync(file, 'utf8').replace(/"handledUntil":\d+(?=[^{]*"id":"2")/, '"handledUntil":0'))
  await run(['schedule', 'run', '--once', '--', ...model])
  expect((await run(['schedule', 'log', id])).stdout).toContain('EXPANDED')
})

test('a worker accepts a run with its token only, and starts it once for each key', async () => {
  await mkdir(at('home', '.haft'), { recursive: true })
  const token = 'a-token-of-enough-length'
  const model = await writeModel(['Worked.'])
  const worker = start(['schedule', 'run', '--listen', '0', '--', ...model], { HAFT_WORKER_TOKEN: token })
  await expect.poll(() => /at (http:\S+)/.exec(worker.stderr)?.[1]).toBeDefined()
  const url = `${/at (http:\S+)/.exec(worker.stderr)?.[1]}/v1/runs`
  const post = (headers: Record<string, string>, body = '{"prompt":"Work","key":"k1"}') =>
    fetch(url, { method: 'POST', headers, body }).then(async (response) => [response.status, await response.text()])
  const authorization = `Bearer ${token}`

  expect(await post({})).toMatchObject([401, expect.stringContaining('Missing or wrong bearer token')])
  expect(await post({ authorization: 'Bearer wrong' })).toMatchObject([401, expect.anything()])
  expect(await post({ authorization, origin: 'https://evil.test' })).toMatchObject([403, expect.anything()])
  expect(await post({ authorization }, 'nonsense')).toMatchObject([400, expect.stringContaining('must be JSON')])
  expect(await post({ authorization })).toEqual([201, '{"task":"1"}'])
  expect(await post({ authorization })).toEqual([201, '{"task":"1"}'])
  await expect.poll(() => openStore().read().tasks[0]?.runs[0]?.state).toBe('completed')
  worker.child.kill('SIGTERM')
  await worker.exited
  expect(listSessionIds()).toHaveLength(1)
})
