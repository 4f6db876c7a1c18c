import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createTeams } from '../src/ports/teams/create-teams.js'
import { toProjectFolderName } from '../src/shared/project-folder-name.js'
import { createHeadlessFixture } from './lib/headless-fixture.js'

const { at, writeProgram, run, start } = createHeadlessFixture()

/** Answers by what is new in the request: the first rule whose text it contains and that was not used. */
const REACT = `(rules) => {
  const used = new Set()
  const step = (request) => {
    const index = rules.findIndex(([text], rule) => !used.has(rule) && messagesText(request).includes(text))
    used.add(index)
    return rules[index]?.[1] ?? 'I wait.'
  }
  return Array.from({ length: 20 }, () => step)
}`

const TEAM_SCRIPT = `(() => {
  const react = ${REACT}
  return {
    turns: react([
      ['Build it', use('ToolSearch', { query: 'select:TeamCreate,TeamDelete,SendMessage' })],
      ['SendMessage', use('TeamCreate', { team_name: 'parser' })],
      ['Created the team', use('Agent', { description: 'test', prompt: 'Test the lexer.', name: 'bob' })],
      ['bob is now a member', use('Agent', { description: 'write', prompt: 'Write the lexer.', name: 'alice' })],
      ['| It works.', use('TeamDelete', {})],
      ['is deleted', 'All is done.'],
    ]),
    conversations: [
      { opening: 'Write the lexer.', turns: [use('SendMessage', { to: 'bob', message: 'See lexer.ts.' }), 'Written.'] },
      { opening: 'Test the lexer.', turns: react([['| See lexer.ts.', 'It works.']]) },
    ],
  }
})()`

const listTeams = () => readdirSync(at('home', '.haft', 'teams', toProjectFolderName(at('project'))))

test('haft -p leads a team to the end and prints the messages between its members', async () => {
  const model = await writeProgram(TEAM_SCRIPT)

  const { stdout, stderr, code } = await run([
    ...['-p', 'Build it', '--output-format', 'stream-json', '--include-events', ...model],
  ])

  expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.at(-1)).toMatchObject({ type: 'result', result: 'All is done.' })
  const messages = lines.filter(({ subtype }) => subtype === 'team_message')
  expect(messages).toContainEqual(
    expect.objectContaining({ team: 'parser', from: 'alice', to: 'bob', text: 'See lexer.ts.', agent_id: 'bob' }),
  )
  expect(messages).toContainEqual(
    expect.objectContaining({ from: 'bob', to: 'team-lead', kind: 'idle', text: 'It works.' }),
  )
  expect(listTeams()).toEqual([])
})

test('a killed session finds its team again, and gets a message that was sent meanwhile once', async () => {
  const first = await writeProgram(`[
    use('ToolSearch', { query: 'select:TeamCreate' }),
    use('TeamCreate', { team_name: 'pair' }),
    'The team is ready.',
  ]`)
  const input = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--session-id', 'lead-session']
  const process = start(['-p', ...input, ...first])
  process.send({ type: 'user', message: { role: 'user', content: 'Create the team' } })
  while ((await process.next()).type !== 'result');
  process.child.kill('SIGKILL')
  await process.exited
  const folder = at('home', '.haft', 'teams', toProjectFolderName(at('project')))
  const other = createTeams({ folder, session: 'other-session' })
  await other.create({ name: 'pair', as: 'bob' })
  const sent = await other.send({ id: 'm1', to: 'team-lead', text: 'Are you back?' }, undefined)
  expect(sent.recipients).toEqual([{ name: 'team-lead', status: 'away', unreceivedIds: [] }])
  await other.close()

  const count = `(request) => String(messagesText(request).split('| Are you back?').length - 1)`
  const second = await writeProgram(`[${count}, ${count}]`)
  const resumed = await run(['-p', 'Any news?', '--resume', 'lead-session', ...second])
  const again = await run(['-p', 'And now?', '--resume', 'lead-session', ...second])

  expect([resumed.stdout.trim(), again.stdout.trim()]).toEqual(['1', '1'])
})
