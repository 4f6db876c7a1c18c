import { expect, test } from 'vitest'
import { findPathProblem } from './path-problem.js'

test.each([
  ['///tmp/x', 'For the local file send "/tmp/x".'],
  ['////tmp//x', 'For the local file send "/tmp//x".'],
  ['//server/share', 'network share'],
  ['\\\\server\\share', 'network share'],
  ['file:///tmp/a%20b', 'is a URL, not a path. Send "/tmp/a b".'],
  ['FILE:/tmp/x', 'Send "/tmp/x".'],
  ['file://localhost/tmp/x', 'Send "/tmp/x".'],
  ['file://server/share/x', 'Send the path of a local file.'],
  ['file:///%', 'Send the path of a local file.'],
  ['~', 'send "./~"'],
  ['~/notes', 'Send the absolute path'],
  ['~root/x', 'for a folder with this literal name, send "./~root/x"'],
  ['a\0b', 'NUL'],
])('the path %j is refused with advice on what to send', (path, advice) => {
  expect(findPathProblem(path)).toContain(advice)
})

test.each([
  '/tmp/x',
  'a//b',
  './~/x',
  './~root/x',
  '~$draft.docx',
  '~lock.a#',
  'a/~/b',
  'file:x',
  'files/x',
  './file:/x',
])('the path %j is accepted', (path) => {
  expect(findPathProblem(path)).toBeUndefined()
})
