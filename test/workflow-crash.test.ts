import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { waitUntil } from '../src/testing/running-processes.js'
import { createHeadlessFixture } from './lib/headless-fixture.js'

const { at, file, writeProgram, start, run } = createHeadlessFixture()

const KILLS = process.env.HAFT_LONG_TESTS ? 50 : 4
/** How often one workflow is killed before it may complete. */
const KILLS_PER_WORKFLOW = 4
/** About as many as a workflow of 30 steps has. */
const JOURNAL_LINES = 60
const ARGS = ['--allowed-tools', 'Bash', '--settings', '{"sandbox":{"enabled":false}}']

/** 30 steps: 6 in sequence, 16 in four branches, 4 agents, 4 that only read. Each of the others adds a line to a file. */
const SCRIPT = `
const ends = []
const note = async (word, work) => {
  try {
    await work
    ends.push(word)
  } catch (error) {
    if (error.code !== 'outcome_unknown') throw error
    ends.push(word + ' unknown')
  }
}
const options = (index) => (index % 2 === 0 ? { ifUnknown: 'repeat' } : {})
const add = (word, log, index) =>
  note(word, tools.Bash({ command: 'echo ' + word + ' >> log-' + log + '; sleep 0.02' }, { name: word, ...options(index) }))
for (let index = 0; index < 6; index++) await add('sequence-' + index, 'main', index)
await parallel([0, 1, 2, 3].map((branch) => async () => {
  for (let index = 0; index < 4; index++) await add('branch-' + branch + '-' + index, branch, index)
}))
await parallel([0, 1, 2, 3].map((index) => () =>
  note('agent-' + index, agent('Add the line agent-' + index + '.', { label: 'agent-' + index, ...options(index) }))))
await parallel([0, 1, 2, 3].map((index) => () => note('read-' + index, tools.Read({ file_path: 'a.txt', limit: index + 1 }))))
ends.join('\\n')`

const WORDS = [
  ...[0, 1, 2, 3, 4, 5].map((index) => `sequence-${index}`),
  ...[0, 1, 2, 3].flatMap((branch) => [0, 1, 2, 3].map((index) => `branch-${branch}-${index}`)),
  ...[0, 1, 2, 3].map((index) => `agent-${index}`),
  ...[0, 1, 2, 3].map((index) => `read-${index}`),
]
const mayRepeat = (word: string) => Number(word.at(-1)) % 2 === 0

/** A model that starts the workflow, or resumes it if it has a journal. */
const writeWorkflowModel = () =>
  writeProgram(`{
    turns: [use('Workflow', ${JSON.stringify(listJournalLines().length > 0 ? { resumeFromRunId: 'last' } : { script: SCRIPT })}), (request) => results(request).at(-1)],
    conversations: [0, 1, 2, 3].map((index) => ({
      opening: 'agent-' + index + '.',
      turns: [use('Bash', { command: 'echo agent-' + index + ' >> log-agent-' + index }), 'Added.'],
    })),
  }`)

test(`a workflow of 30 steps that is killed at random repeats no finished step, and the rest completes (${KILLS} kills)`, async () => {
  for (let killCount = 0; killCount < KILLS; ) {
    removeTraces()
    const { kills, finishedCounts } = await killSeveralTimes(Math.min(KILLS_PER_WORKFLOW, KILLS - killCount))
    killCount += kills

    const { stdout, stderr, code } = await run(['-p', 'Go', ...ARGS, ...(await writeWorkflowModel())])

    expect([code, stderr]).toEqual([0, ''])
    const ends = stdout.trim().split('\n').slice(0, -1)
    expect(ends.map((end) => end.replace(' unknown', '')).toSorted()).toEqual(WORDS.toSorted())
    expect(new Map([...finishedCounts.keys()].map((word) => [word, countLines(word)]))).toEqual(finishedCounts)
    for (const word of WORDS.filter((each) => !each.startsWith('read-')))
      expect([word, isRunAsPromised(word, ends.includes(`${word} unknown`))]).toEqual([word, true])
  }
}, 1_800_000)

/** A step that may not be repeated has run at most once, and is unknown if it was interrupted; any other has completed. */
function isRunAsPromised(word: string, isUnknown: boolean): boolean {
  const count = countLines(word)
  if (mayRepeat(word)) return !isUnknown && count >= 1
  return isUnknown ? count <= 1 : count === 1
}

/** Returns how often the workflow was killed, and how often each step had run that was finished then. */
async function killSeveralTimes(maxKills: number) {
  const finishedCounts = new Map<string, number>()
  let kills = 0
  while (kills < maxKills && (await runAndKill())) {
    kills++
    for (const word of listFinished()) if (!finishedCounts.has(word)) finishedCounts.set(word, countLines(word))
  }
  return { kills, finishedCounts }
}

function removeTraces(): void {
  for (const path of [...listLogs().map(file), at('home', '.haft', 'workflows')])
    rmSync(path, { recursive: true, force: true })
}

/** Runs the workflow and kills the process at a random point. Returns false if it has ended before. */
async function runAndKill(): Promise<boolean> {
  const linesBefore = listJournalLines().length
  const targetLines = linesBefore + 1 + Math.random() * (JOURNAL_LINES / KILLS_PER_WORKFLOW)
  let pollsLeft = Math.random() * 20
  const haft = start(['-p', 'Go', ...ARGS, ...(await writeWorkflowModel())])
  const isDue = () => listJournalLines().length >= targetLines && --pollsLeft < 0
  await Promise.race([waitUntil(() => haft.child.exitCode !== null || isDue()), haft.exited])
  if (haft.child.exitCode !== null) return false
  const end = once(haft.child, 'close')
  haft.child.kill('SIGKILL')
  await end
  return true
}

function listJournalLines(): readonly string[] {
  const root = at('home', '.haft', 'workflows')
  if (!existsSync(root)) return []
  const name = readdirSync(root, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith('.jsonl'))
  return name === undefined ? [] : readFileSync(`${root}/${name}`, 'utf8').split('\n').slice(0, -1)
}

/** The words of the steps that have ended according to the journal. */
function listFinished(): readonly string[] {
  return listJournalLines()
    .map((line) => JSON.parse(line))
    .filter(({ type }) => type === 'ended')
    .flatMap(({ summary }) => /(?:sequence|branch|agent)-[\d-]*\d/.exec(summary)?.[0] ?? [])
}

function listLogs(): readonly string[] {
  return readdirSync(file('.')).filter((name) => name.startsWith('log-'))
}

function countLines(word: string): number {
  const lines = listLogs().flatMap((name) => readFileSync(file(name), 'utf8').split('\n'))
  return lines.filter((line) => line === word).length
}
