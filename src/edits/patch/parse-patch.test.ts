import { describe, expect, test } from 'vitest'
import { parsePatch } from './parse-patch.js'

const chunk = { anchors: [], isAtEnd: false }

test('reads what is done to each file', () => {
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

test('a chunk ends where the next begins', () => {
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

test('words around a patch and other line endings do not matter', () => {
  const patch = "apply_patch <<'EOF'\r\n*** Begin Patch\r\n*** Delete File: a\r\n*** End Patch\r\nEOF"
  expect(parsePatch(patch)).toEqual([{ kind: 'delete', path: 'a' }])
})

test('a file may only be moved', () => {
  expect(parsePatch('*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** End Patch')).toEqual([
    { kind: 'update', path: 'a', moveTo: 'b', chunks: [] },
  ])
})

test('reads a unified diff, as git writes it', () => {
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

describe('a patch that cannot be read is refused', () => {
  test.each([
    ['cut short', '*** Begin Patch\n*** Update File: a\n-x\n+y', /does not end with/],
    ['no patch', 'hello', /This is no patch/],
    ['without files', '*** Begin Patch\n*** End Patch', /changes no file/],
    ['lines of no file', '*** Begin Patch\n-x\n*** Delete File: a\n*** End Patch', /Line 2 .* belongs to no file/],
    [
      'an added line without its mark',
      '*** Begin Patch\n*** Add File: a\n+x\ny\n*** End Patch',
      /Line 4 .*begins with '\+'/,
    ],
    ['a line without its mark', '*** Begin Patch\n*** Update File: a\n-x\ny\n*** End Patch', /Line 4 .*"y"/],
    ['no change', '*** Begin Patch\n*** Update File: a\n*** End Patch', /without saying how/],
    ['lines below a deletion', '*** Begin Patch\n*** Delete File: a\n-x\n*** End Patch', /belongs to no file/],
    [
      'a file twice',
      '*** Begin Patch\n*** Delete File: a\n*** Update File: b\n*** Move to: a\n*** End Patch',
      /names a twice/,
    ],
  ])('%s', (_, patch, message) => {
    expect(() => parsePatch(patch)).toThrow(message)
  })
})
