import { describe, expect, test } from 'vitest'
import { commandFacts } from './command-facts.js'

describe('what only reads', () => {
  test.each(['ls', 'cat a.txt', 'grep -rn x src | head -5', 'git status', 'pwd; whoami'])('%s', (command) => {
    const { isReadOnly, isConcurrencySafe, resources } = commandFacts(command)
    expect({ isReadOnly, isConcurrencySafe }).toEqual({ isReadOnly: true, isConcurrencySafe: true })
    expect(resources.writes ?? []).toEqual([])
    expect(resources.unknown).toBeUndefined()
  })

  test('and goes elsewhere runs alone', () => {
    const { isReadOnly, isConcurrencySafe, resources } = commandFacts('cd sub && cat x')
    expect({ isReadOnly, isConcurrencySafe }).toEqual({ isReadOnly: true, isConcurrencySafe: false })
    expect(resources.reads ?? []).toContainEqual({ path: 'sub/x' })
    expect(resources.writes).toEqual([{ thing: 'shell:cwd' }])
  })
})

describe('what does more', () => {
  test.each(['rm -rf /', 'make', 'echo x > f', 'cat $(touch x)', 'sed -i s/a/b/ f', 'no such "thing', ''])(
    '%s',
    (command) => {
      expect(commandFacts(command)).toMatchObject({ isReadOnly: false, isConcurrencySafe: false })
    },
  )

  test('says what it writes, as far as that is known', () => {
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

  test('and what is not known is not denied', () => {
    expect(() => commandFacts('git $x').matches('git push:*')).toThrow('only at run time')
    expect(() => commandFacts('$x').matches('git push')).toThrow('only at run time')
  })
})

test('waiting is told from work', () => {
  expect(commandFacts('sleep 100 && make').isWaiting).toBe(true)
  expect(commandFacts('make; sleep 1').isWaiting).toBe(false)
})
