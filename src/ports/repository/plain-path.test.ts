import { expect, test } from 'vitest'
import { parsePlainPath } from './plain-path.js'

test.each([
  ['gitdir: ../.git/modules/libs/sub\n', '../.git/modules/libs/sub'],
  ['gitdir: /home/me/my project/.git/worktrees/a', '/home/me/my project/.git/worktrees/a'],
  ['gitdir: ../../.git\n', '../../.git'],
  ['gitdir: é\n', 'é'],
])('%j is the form that git writes', (text, path) => {
  expect(parsePlainPath(text, 'gitdir: ')).toBe(path)
})

test.each([
  ['gitdir: ../evil \n'],
  ['gitdir:  ../evil\n'],
  ['gitdir: ../evil\n\n'],
  ['gitdir: ../evil\r\n'],
  ['gitdir: ../evil\u0000x\n'],
  ['gitdir: ../evil\uFFFD\n'],
  ['gitdir: ../good\ngitdir: ../evil\n'],
  ['gitdir: link/../evil\n'],
  ['gitdir: /a/link/..\n'],
  ['gitdir: .git/../evil\n'],
  ['gitdir: \n'],
  ['../evil\n'],
  [''],
])('%j is not the form that git writes', (text) => {
  expect(parsePlainPath(text, 'gitdir: ')).toBeUndefined()
})
