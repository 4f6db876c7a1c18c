import { describe, expect, test } from 'vitest'
import { startMonitors } from './lib/monitor-fixture.js'

describe('Monitor', () => {
  test('reports each line of a command, without colours, until it ends', async () => {
    const { run, untilEnded } = await startMonitors()

    const answer = await run('Monitor', { command: `printf 'one\\n\\033[31mtwo\\033[0m\\n\\nthree'` })

    expect(answer).toContain('Watching in the background as task monitor-1')
    expect(await untilEnded()).toMatchObject({
      lines: ['one', 'two', 'three'],
      end: undefined,
      task: { id: 'monitor-1', kind: 'monitor', status: 'completed' },
    })
  })

  test('reports a line while the command runs; TaskOutput reads it and TaskStop ends it', async () => {
    const { run, events, runtime } = await startMonitors()

    await run('Monitor', { command: 'echo ready; sleep 600', description: 'the server' })
    await expect.poll(() => events.length).toBe(1)

    expect(events).toEqual([{ lines: ['ready'], omittedLines: 0 }])
    expect(runtime.tasks.list()).toMatchObject([{ id: 'monitor-1', description: 'the server', status: 'running' }])
    expect(await run('TaskOutput', { task_id: 'monitor-1', block: false })).toContain('ready')
    expect(await run('TaskStop', { task_id: 'monitor-1' })).toContain('was stopped')
  })

  test('reports only lines that the filter matches', async () => {
    const { run, untilEnded } = await startMonitors()

    await run('Monitor', { command: 'seq 30', filter: '^.?5$' })

    expect((await untilEnded()).lines).toEqual(['5', '15', '25'])
  })

  test('ends after max_events lines', async () => {
    const { run, untilEnded } = await startMonitors()

    await run('Monitor', { command: 'seq 5; sleep 600', max_events: 3 })

    expect(await untilEnded()).toMatchObject({
      lines: ['1', '2', '3'],
      end: expect.stringContaining('it has reported 3 lines'),
      task: { status: 'stopped' },
    })
  })

  test('ends if there is no output for the idle timeout', async () => {
    const { run, untilEnded } = await startMonitors()

    await run('Monitor', { command: 'sleep 600', idle_timeout: 0.05 })

    expect((await untilEnded()).end).toContain('there was no output for 0.05 s')
  })

  test('ends if its filter takes too long', async () => {
    const { run, untilEnded } = await startMonitors()

    await run('Monitor', { command: `echo ${'a'.repeat(60)}b; sleep 600`, filter: '^(a+)+$' })

    expect((await untilEnded()).end).toContain('its filter takes too long')
  })

  test('bounds long lines and floods of lines', async () => {
    const { run, untilEnded, events } = await startMonitors()

    await run('Monitor', { command: `head -c 5000000 /dev/zero | tr '\\0' x; echo; seq 100000`, max_events: 1000 })

    const { lines } = await untilEnded()
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(500)
    expect(Math.max(...events.map((event) => event.lines.length))).toBeLessThanOrEqual(20)
    expect(events.reduce((sum, { omittedLines }) => sum + omittedLines, 0)).toBeGreaterThan(0)
  })

  test('refuses a filter that is not a regular expression', async () => {
    const { run } = await startMonitors()

    expect(await run('Monitor', { command: 'true', filter: '(' })).toContain('is not a regular expression')
  })
})

describe('the command of Monitor', () => {
  test('is denied by rules for Bash', async () => {
    const { run } = await startMonitors({ mode: 'bypassPermissions', deny: ['Bash(touch:*)'] })

    expect(await run('Monitor', { command: 'touch denied' })).toContain('Bash(touch:*)')
    expect(await run('Monitor', { command: 'echo x && touch denied' })).toContain('Bash(touch:*)')
  })

  test('needs approval like in Bash, unless it only reads or a rule allows it', async () => {
    const { run } = await startMonitors({ allow: ['Monitor(touch allowed)'] })

    expect(await run('Monitor', { command: 'touch other' })).toContain('needs approval')
    expect(await run('Monitor', { command: 'touch allowed' })).toContain('monitor-1')
    expect(await run('Monitor', { command: 'pwd' })).toContain('monitor-2')
  })
})
