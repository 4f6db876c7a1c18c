import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { createHeadlessFixture } from './lib/headless-fixture.js'

const { at, file, run, writeProgram } = createHeadlessFixture()

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}

test.each(['deny', 'ask'])(
  'commands, agents and skills that a Read rule covers (%s) do not reach the model',
  async (list) => {
    await put(file('secret.md'), '---\ndescription: the-secret\n---\nthe-secret\n')
    await put(
      file('.haft/settings.json'),
      JSON.stringify({ permissions: { [list]: ['Read(secret.md)', 'Read(hidden/**)'] } }),
    )
    await put(file('hidden/plain/SKILL.md'), '---\nname: plain\ndescription: the-secret\n---\nthe-secret\n')
    await put(file('.haft/skills/visible/SKILL.md'), '---\nname: visible\ndescription: a visible skill\n---\nbody\n')
    await symlink('../../hidden/plain', file('.haft/skills/plain'))
    for (const folder of ['commands', 'agents']) {
      await mkdir(file(`.haft/${folder}`))
      await symlink('../../secret.md', file(`.haft/${folder}/leak.md`))
    }
    const model = await writeProgram('{ turns: [(request) => JSON.stringify(request)] }')

    for (const prompt of ['hello', '/leak', '/plain']) {
      const { stdout, stderr } = await run(['-p', prompt, '--trust', ...model])
      expect(stdout).toContain('a visible skill')
      expect(stdout).not.toContain('the-secret')
      expect(stderr).toContain(`${at('project')}/.haft/agents/leak.md: the rule Read(secret.md)`)
      expect(stderr).toContain(`${at('project')}/.haft/skills/plain/SKILL.md is not used: the rule Read(hidden/**)`)
    }
  },
)
