import { describe, expect, test } from 'vitest'
import { parsePatch } from './parse-patch.js'

const chunk = { anchors: [], isAtEnd: false }

test('parses the change of each file', () => {
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
          kept: [0, undefined, 2, 3],
          isAtEnd: true,
        },
      ],
    },
    { kind: 'delete', path: 'c d.txt' },
  ])
})

test('a chunk ends where the next one starts', () => {
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
      { ...chunk, oldLines: ['x'], newLines: ['y'], kept: [undefined] },
      { ...chunk, oldLines: ['z'], newLines: [], kept: [] },
      { ...chunk, oldLines: ['q'], newLines: ['q'], kept: [0], line: 12 },
    ],
  })
})

test('text around a patch and other line endings are ignored', () => {
  const patch = "apply_patch <<'EOF'\r\n*** Begin Patch\r\n*** Delete File: a\r\n*** End Patch\r\nEOF"
  expect(parsePatch(patch)).toEqual([{ kind: 'delete', path: 'a' }])
})

test('a file may be moved without a change', () => {
  expect(parsePatch('*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** End Patch')).toEqual([
    { kind: 'update', path: 'a', moveTo: 'b', chunks: [] },
  ])
})

test('parses a unified diff of git', () => {
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
      chunks: [{ ...chunk, oldLines: ['a', 'b'], newLines: ['a', 'c'], kept: [0, undefined], line: 3 }],
    },
    { kind: 'add', path: 'new.txt', content: '1\n2' },
    { kind: 'delete', path: 'gone.txt' },
  ])
})

describe('a patch with a syntax error is refused', () => {
  test.each([
    ['truncated', '*** Begin Patch\n*** Update File: a\n-x\n+y', /does not end with/],
    ['not a patch', 'hello', /Invalid patch/],
    ['without files', '*** Begin Patch\n*** End Patch', /no file sections/],
    [
      'lines outside a section',
      '*** Begin Patch\n-x\n*** Delete File: a\n*** End Patch',
      /Line 2 .* outside a file section/,
    ],
    [
      'an added line without its mark',
      '*** Begin Patch\n*** Add File: a\n+x\ny\n*** End Patch',
      /Line 4 .*start with '\+'/,
    ],
    ['a line without its mark', '*** Begin Patch\n*** Update File: a\n-x\ny\n*** End Patch', /Line 4 .*"y"/],
    ['no change', '*** Begin Patch\n*** Update File: a\n*** End Patch', /no changed lines/],
    ['lines below a deletion', '*** Begin Patch\n*** Delete File: a\n-x\n*** End Patch', /outside a file section/],
    [
      'a file twice',
      '*** Begin Patch\n*** Delete File: a\n*** Update File: b\n*** Move to: a\n*** End Patch',
      /names a twice/,
    ],
  ])('%s', (_, patch, message) => {
    expect(() => parsePatch(patch)).toThrow(message)
  })
})
