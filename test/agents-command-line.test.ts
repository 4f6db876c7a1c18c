import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { call, createHeadlessFixture } from './lib/headless-fixture.js'

const { run, at, file, writeModel } = createHeadlessFixture()

async function writeAgentType(path: string, name: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  // A list and a colon, which require a full YAML parser.
  await writeFile(path, `---\nname: ${name}\ndescription: "Reviews: carefully"\ntools: [Read]\n---\nYou review.\n`)
}

test('haft -p starts agents of the user’s own types, and of the project’s types only if the project is trusted', async () => {
  await writeAgentType(at('home', '.claude', 'agents', 'reviewer.md'), 'reviewer')
  await writeAgentType(file('.haft/agents/local.md'), 'local')
  const conversations = [
    {
      opening: 'Look at a.txt',
      turns: [
        {
          calls: [
            { name: 'Read', input: { file_path: 'a.txt' } },
            { name: 'Bash', input: { command: 'rm a.txt' } },
          ],
        },
        'It says alpha.',
      ],
    },
  ]

  const runAgentOfType = async (subagent_type: string, ...extraArgs: string[]) => {
    const input = { description: 'review', prompt: 'Look at a.txt', subagent_type }
    const script = await writeModel([call('Agent', input), 'Reviewed.'], { conversations })
    const { code, stdout } = await run([
      '-p',
      'Review it',
      ...script,
      '--output-format',
      'stream-json',
      '--include-events',
      ...extraArgs,
    ])
    expect(code).toBe(0)
    return stdout
  }

  expect(await runAgentOfType('reviewer')).toMatch(/It says alpha\..*reviewer agent: 2 calls/)
  expect(await runAgentOfType('local')).toContain('Unknown agent kind')
  expect(await runAgentOfType('local', '--trust')).toMatch(/It says alpha\..*local agent: 2 calls/)
  expect(readFileSync(file('a.txt'), 'utf8')).toBe('alpha\n')
})
