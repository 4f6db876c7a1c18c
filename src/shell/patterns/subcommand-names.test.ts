import { expect, test } from 'vitest'
import { analyseCommand } from '../analyse-command.js'
import { parseCommandPattern } from './command-pattern.js'
import { commandMayMatch } from './match-command.js'

function certaintyOf(rule: string, command: string) {
  const [first] = analyseCommand(command, { cwd: '/p' }).commands
  return first === undefined ? undefined : commandMayMatch(parseCommandPattern(rule), first)
}

test.each([
  ['npm install:*', 'npm i x'],
  ['npm install:*', 'npm add x'],
  ['npm i:*', 'npm install x'],
  ['npm install:*', 'npm --silent isntall x'],
  ['npm run deploy:*', 'npm run-script deploy'],
  ['npm run deploy:*', 'npm rum deploy'],
  ['npm publish:*', 'npm pub'],
  ['pnpm remove:*', 'pnpm rm x'],
  ['cargo test:*', 'cargo t'],
  ['gh pr create:*', 'gh pr new'],
])('the rule %s may mean %s', (rule, command) => {
  expect(certaintyOf(rule, command)).toBe('maybe')
})

test.each([
  ['npm publish:*', 'npm i x'],
  ['npm run deploy:*', 'npm run test'],
  ['npm install:*', 'npm test'],
  ['npm install:*', 'npm run add'],
  ['cargo publish:*', 'cargo t'],
  ['rm:*', 'npm rm x'],
])('the rule %s does not mean %s', (rule, command) => {
  expect(certaintyOf(rule, command)).toBe('no')
})
