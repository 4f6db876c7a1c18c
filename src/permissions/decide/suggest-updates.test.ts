import { describe, expect, test } from 'vitest'
import { parseCommandPattern } from '../../shell/patterns/command-pattern.js'
import { toKnownWord } from '../../shell/words/shell-word.js'
import { createFixtureMcpTool } from '../../testing/fixture-mcp-tool.js'
import {
  BashTool,
  behaviorOf,
  createFakePaths,
  createFakeShell,
  decideOn,
  FetchTool,
  NoteTool,
  ReadTool,
  WriteTool,
} from '../fixture-calls.js'
import { toRuleContent } from './suggest-command-rule.js'

async function suggestRules(...[tool, input, options]: Parameters<typeof decideOn>) {
  const { suggestions } = await decideOn(tool, input, options)
  return suggestions.flatMap((update) => (update.type === 'addRules' ? update.rules : [update.type]))
}

const ruleFor = (command: string) => toRuleContent(command === '' ? [] : command.split(' '))

describe('the rule suggested for a command', () => {
  test.each([
    ['git add src', 'git add:*'],
    ['npm run test -- a', 'npm run test:*'],
    ['npm test', 'npm test:*'],
    ['npm run', 'npm run'],
    ['docker logs web', 'docker logs:*'],
    ['make build', 'make build:*'],
    ['make', 'make'],
    ['cargo build --release', 'cargo build:*'],
    ['git commit -m x', 'git commit:*'],
    ['pytest -q tests', 'pytest:*'],
    ['python -m pytest tests', 'python -m pytest:*'],
    ['python3 script.py', 'python3 script.py'],
    ['bash scripts/deploy.sh', 'bash scripts/deploy.sh'],
    ['git -c x=y push', 'git -c x=y push'],
    ['npm exec x', 'npm exec x'],
    ['docker run x', 'docker run x'],
    ['toString call', 'toString call'],
  ])('`%s` is `%s`', (command, content) => {
    expect(ruleFor(command)).toBe(content)
  })

  test.each([
    ...['xargs rm', 'sudo rm x', 'env A=1 rm x', 'bash -c x', 'sh -ec x', 'eval x', 'ssh host x', 'nohup x'],
    ...['find . -exec rm x', 'fd x -x rm', 'python3 -c x', 'node -e x', 'node --eval x', 'perl -ne x', 'ruby -e x'],
  ])('does not exist for a command that runs other commands or code: %s', (command) => {
    expect(ruleFor(command)).toBeUndefined()
  })

  test.each([
    ...['git fetch origin', 'git pull x', 'git push origin main', 'git diff a', 'git log -1', 'git show a'],
    ...['pip install x', 'pip list', 'npm install x', 'npx tsc', 'rm x', 'cp a b', 'kubectl get pods', 'make -C x'],
  ])('is the exact command if a prefix would allow more than the user expects: %s', (command) => {
    expect(ruleFor(command)).toBe(command)
  })

  test('does not exist if it would cover more than the command', () => {
    expect([ruleFor('rm *'), ruleFor('a:*'), ruleFor('a\nb'), ruleFor('')]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })
})

test('words with blanks or quotes are quoted in a suggested rule, so that the rule matches the same words', () => {
  expect(toRuleContent(['npm', 'run', 'a b'])).toBe("npm run 'a b'")
  for (const toCommandPart of [
    ['a', "it's", 'b'],
    ['a', 'x "y" \\ z', ''],
    ['a', "'", '"', '$x `y`'],
  ]) {
    const pattern = parseCommandPattern(toRuleContent(toCommandPart) ?? '')
    expect(pattern).toMatchObject({ kind: 'exact', words: toCommandPart.map((word) => [word]) })
  }
})

describe('the permission update suggested', () => {
  test('for a command that was not understood is the exact command, if a rule can express it', async () => {
    expect(await suggestRules(BashTool, { command: 'npm test' })).toEqual(['Bash(npm test)'])
    expect(await suggestRules(BashTool, { command: 'npm test | x' })).toEqual([])
  })

  test('for a compound command is a rule for each part that needs one, but none for a redirection', async () => {
    const toCommandPart = (text: string) => ({
      words: text.split(' '),
      asWritten: [{ words: text.split(' ').map(toKnownWord) }],
    })
    const shell = createFakeShell({
      'a && b': [toCommandPart('npm run a'), { ...toCommandPart('ls'), isReadOnly: true }, toCommandPart('git add x')],
      'a > b': [{ ...toCommandPart('npm run a'), redirects: ['b'] }],
    })
    expect(await suggestRules(BashTool, { command: 'a && b' }, { shell })).toEqual([
      'Bash(npm run a:*)',
      'Bash(git add:*)',
    ])
    expect(await suggestRules(BashTool, { command: 'a > b' }, { shell })).toEqual([])
  })

  test('for an edit inside the working directories is a rule for the file, then the mode acceptEdits', async () => {
    expect((await decideOn(WriteTool, { file_path: 'src/[id].ts' })).suggestions).toEqual([
      { type: 'addRules', destination: 'localSettings', behavior: 'allow', rules: ['Edit(/src/\\[id].ts)'] },
      { type: 'setMode', destination: 'session', mode: 'acceptEdits' },
    ])
  })

  test('for a file outside the working directories is a rule for the file and for the target of its link', async () => {
    const paths = createFakePaths({ links: { '/project/out': '/etc' } })
    expect(await suggestRules(ReadTool, { file_path: '/etc/hosts' })).toEqual(['Read(//etc/hosts)'])
    expect(await suggestRules(WriteTool, { file_path: 'out/x' }, { paths })).toEqual(['Edit(/out/x)', 'Edit(//etc/x)'])
  })

  test('for other tools is a rule for the host, the MCP tool or the whole tool', async () => {
    expect(await suggestRules(FetchTool, { url: 'https://Example.com/x' })).toEqual(['WebFetch(domain:example.com)'])
    expect(await suggestRules(createFixtureMcpTool('my server', 'x'), {})).toEqual(['mcp__my_server__x'])
    expect(await suggestRules(NoteTool, {})).toEqual(['Note'])
  })

  test('is empty if an ask rule or a safety check asks, because no rule would help', async () => {
    expect(await suggestRules(NoteTool, {}, { rules: { ask: ['Note'] } })).toEqual([])
    expect(await suggestRules(WriteTool, { file_path: '.haft/settings.json' })).toEqual([])
  })

  test('allows the call after it is added', async () => {
    const paths = createFakePaths({ links: { '/project/out': '/etc' } })
    const calls = [
      [BashTool, { command: 'npm test' }],
      [WriteTool, { file_path: 'src/[id].ts' }],
      [WriteTool, { file_path: 'out/a*b?.ts' }],
      [ReadTool, { file_path: '/etc/a\\b' }],
      [FetchTool, { url: 'https://example.com' }],
      [NoteTool, {}],
    ] as const
    for (const [tool, input] of calls) {
      const rules = (await suggestRules(tool, input, { paths })).filter((rule) => rule !== 'setMode')
      expect(await behaviorOf(tool, input, { paths, rules: { allow: rules } })).toBe('allow')
    }
  })
})
