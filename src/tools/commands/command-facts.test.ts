import { describe, expect, test } from 'vitest'
import { commandFacts } from './command-facts.js'

describe('read-only commands', () => {
  test.each(['ls', 'cat a.txt', 'grep -rn x src | head -5', 'git status', 'pwd; whoami'])('%s', (command) => {
    const { isReadOnly, isConcurrencySafe, resources } = commandFacts(command)
    expect({ isReadOnly, isConcurrencySafe }).toEqual({ isReadOnly: true, isConcurrencySafe: true })
    expect(resources.writes ?? []).toEqual([])
    expect(resources.unknown).toBeUndefined()
  })

  test('that change the directory run alone', () => {
    const { isReadOnly, isConcurrencySafe, resources } = commandFacts('cd sub && cat x')
    expect({ isReadOnly, isConcurrencySafe }).toEqual({ isReadOnly: true, isConcurrencySafe: false })
    expect(resources.reads ?? []).toContainEqual({ path: 'sub/x' })
    expect(resources.writes).toEqual([{ thing: 'shell:cwd' }])
  })
})

describe('other commands', () => {
  test.each(['rm -rf /', 'make', 'echo x > f', 'cat $(touch x)', 'sed -i s/a/b/ f', 'no such "thing', ''])(
    '%s',
    (command) => {
      expect(commandFacts(command)).toMatchObject({ isReadOnly: false, isConcurrencySafe: false })
    },
  )

  test('declare their known writes', () => {
    expect(commandFacts('touch a b').resources).toMatchObject({
      writes: [{ thing: 'shell:cwd' }, { path: 'a' }, { path: 'b' }],
    })
    expect(commandFacts('make').resources).toMatchObject({ unknown: true })
    expect(commandFacts('touch ~/x').resources).toMatchObject({ unknown: true })
  })
})

describe('rules see every part', () => {
  test.each([
    ['cd x && git push origin', 'git push:*', true],
    ['FOO=1 timeout 5 git -C . push', 'git push:*', true],
    ['echo $(git push)', 'git push', true],
    ['git status', 'git push:*', false],
    ['ls', '*', true],
  ])('%s under %s: %j', (command, content, answer) => expect(commandFacts(command).matches(content)).toBe(answer))

  test('and an undecidable rule throws', () => {
    expect(() => commandFacts('git $x').matches('git push:*')).toThrow('only at run time')
    expect(() => commandFacts('$x').matches('git push')).toThrow('only at run time')
  })
})

test('waiting is distinguished from work', () => {
  expect(commandFacts('sleep 100 && make').isWaiting).toBe(true)
  expect(commandFacts('make; sleep 1').isWaiting).toBe(false)
})
