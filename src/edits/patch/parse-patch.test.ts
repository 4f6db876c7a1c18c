import { describe, expect, test } from 'vitest'
import { parsePatch } from './parse-patch.js'

const chunk = { anchors: [], isAtEnd: false }

test('a patch is parsed into the changes of each file', () => {
  expect(
    parsePatch(`*** Begin Patch
*** Add File: new/a.txt
+one
+
+three
*** Update File: b.ts
*** Move to: lib/b.ts
@@ class B
@@   open() {
 keep
-old
+new

 blank above
*** End of File
*** Delete File: c d.txt
*** End Patch
`),
  ).toEqual([
    { kind: 'add', path: 'new/a.txt', content: 'one\n\nthree\n' },
    {
      kind: 'update',
      path: 'b.ts',
      moveTo: 'lib/b.ts',
      chunks: [
        {
          anchors: ['class B', 'open() {'],
          oldLines: ['keep', 'old', '', 'blank above'],
          newLines: ['keep', 'new', '', 'blank above'],
          oldIndexes: [0, undefined, 2, 3],
          isAtEnd: true,
        },
      ],
    },
    { kind: 'delete', path: 'c d.txt' },
  ])
})

test('a chunk ends where the next chunk starts', () => {
  const [section] = parsePatch(`*** Begin Patch
*** Update File: a
-x
+y
@@
-z

@@ -12,3 +12,3 @@ function guessed()
 q
*** End Patch`)
  expect(section).toMatchObject({
    chunks: [
      { ...chunk, oldLines: ['x'], newLines: ['y'], oldIndexes: [undefined] },
      { ...chunk, oldLines: ['z'], newLines: [], oldIndexes: [] },
      { ...chunk, oldLines: ['q'], newLines: ['q'], oldIndexes: [0], line: 12 },
    ],
  })
})

test('text around a patch is ignored, and CRLF line endings are accepted', () => {
  const patch = "apply_patch <<'EOF'\r\n*** Begin Patch\r\n*** Delete File: a\r\n*** End Patch\r\nEOF"
  expect(parsePatch(patch)).toEqual([{ kind: 'delete', path: 'a' }])
})

test('a section of a patch may move a file without changing it', () => {
  expect(parsePatch('*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** End Patch')).toEqual([
    { kind: 'update', path: 'a', moveTo: 'b', chunks: [] },
  ])
})

test('a unified diff written by git is parsed like a patch', () => {
  expect(
    parsePatch(`diff --git a/x.txt b/x.txt
index 111..222 100644
--- a/x.txt
+++ b/x.txt
@@ -3,2 +3,2 @@ some function
 a
-b
+c
diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1,2 @@
+1
+2
\\ No newline at end of file
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-x
`),
  ).toEqual([
    {
      kind: 'update',
      path: 'x.txt',
      chunks: [{ ...chunk, oldLines: ['a', 'b'], newLines: ['a', 'c'], oldIndexes: [0, undefined], line: 3 }],
    },
    { kind: 'add', path: 'new.txt', content: '1\n2' },
    { kind: 'delete', path: 'gone.txt' },
  ])
})

describe('a patch is refused', () => {
  test.each([
    ['without its end mark', '*** Begin Patch\n*** Update File: a\n-x\n+y', /does not end with/],
    ['if it is neither marked nor a unified diff', 'hello', /Invalid patch/],
    ['without file sections', '*** Begin Patch\n*** End Patch', /no file sections/],
    [
      'with lines outside a section',
      '*** Begin Patch\n-x\n*** Delete File: a\n*** End Patch',
      /Line 2 .* outside a file section/,
    ],
    [
      'with a line of an added file that lacks its +',
      '*** Begin Patch\n*** Add File: a\n+x\ny\n*** End Patch',
      /Line 4 .*start with '\+'/,
    ],
    ['with an unmarked line in an update', '*** Begin Patch\n*** Update File: a\n-x\ny\n*** End Patch', /Line 4 .*"y"/],
    ['with an update that changes nothing', '*** Begin Patch\n*** Update File: a\n*** End Patch', /no changed lines/],
    ['with lines below a deletion', '*** Begin Patch\n*** Delete File: a\n-x\n*** End Patch', /outside a file section/],
    [
      'with more than 200 files',
      `*** Begin Patch\n${Array.from({ length: 201 }, (_, index) => `*** Delete File: ${index}\n`).join('')}*** End Patch`,
      /changes 201 files, which is too large for one call: the limit is 200/,
    ],
    [
      'if it names a file twice',
      '*** Begin Patch\n*** Delete File: a\n*** Update File: b\n*** Move to: a\n*** End Patch',
      /names a twice/,
    ],
  ])('%s', (_, patch, message) => {
    expect(() => parsePatch(patch)).toThrow(message)
  })
})
