import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { call, headlessFixture } from './lib/headless-fixture.js'

const { run, at, file, model } = headlessFixture()

async function kind(path: string, name: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  // A list and a colon, which require a full YAML parser.
  await writeFile(path, `---\nname: ${name}\ndescription: "Reviews: carefully"\ntools: [Read]\n---\nYou review.\n`)
}

test('haft -p starts agents of the user’s own types, and of the project’s types only if the project is trusted', async () => {
  await kind(at('home', '.claude', 'agents', 'reviewer.md'), 'reviewer')
  await kind(file('.haft/agents/local.md'), 'local')
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

  const lines = async (subagent_type: string, ...more: string[]) => {
    const ask = { description: 'review', prompt: 'Look at a.txt', subagent_type }
    const script = await model([call('Agent', ask), 'Reviewed.'], { conversations })
    const { code, stdout } = await run([
      '-p',
      'Review it',
      ...script,
      '--output-format',
      'stream-json',
      '--verbose',
      ...more,
    ])
    expect(code).toBe(0)
    return stdout
  }

  expect(await lines('reviewer')).toMatch(/It says alpha\..*reviewer agent: 2 calls/)
  expect(await lines('local')).toContain('Unknown agent kind')
  expect(await lines('local', '--trust')).toMatch(/It says alpha\..*local agent: 2 calls/)
  expect(readFileSync(file('a.txt'), 'utf8')).toBe('alpha\n')
})
