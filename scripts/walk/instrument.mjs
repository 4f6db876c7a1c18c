import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { transformSync } from 'esbuild'
import { parseAst } from 'rollup/parseAst'

/**
 * A function of `src`. A callback is a function that is neither declared by name nor a method.
 * @typedef {{ readonly file: string, readonly name: string, readonly isCallback: boolean }} WalkedFunction
 */

/**
 * @typedef {{ readonly type: string, readonly start: number, readonly end: number, readonly [member: string]: any }} AstNode
 */

/**
 * Writes all modules of `root/src` to `outdir` as JavaScript that reports to `globalThis.walk` when a function begins,
 * waits, continues or ends.
 * @param {string} root
 * @param {string} outdir
 * @returns {readonly WalkedFunction[]} the functions; their index is the number that is reported
 */
export function instrumentSources(root, outdir) {
  const source = join(root, 'src')
  /** @type {WalkedFunction[]} */
  const functions = []
  for (const name of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts') || /\.(?:test|test-d|d)\.ts$/.test(name)) continue
    const path = join(source, name)
    const target = join(outdir, name.replace(/\.ts$/, '.js'))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, instrument(readFileSync(path, 'utf8'), relative(source, path), functions))
  }
  return functions
}

/**
 * @param {string} text
 * @param {string} file
 * @param {WalkedFunction[]} functions
 */
function instrument(text, file, functions) {
  const { code } = transformSync(text, {
    loader: 'ts',
    target: 'es2022',
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  })
  /** @type {{ readonly at: number, readonly text: string, readonly isEnd: boolean, readonly depth: number }[]} */
  const insertions = []
  const wrap = (
    /** @type {number} */ start,
    /** @type {number} */ end,
    /** @type {readonly [string, string]} */ [before, after],
    /** @type {number} */ depth,
  ) => {
    insertions.push({ at: start, text: before, isEnd: false, depth }, { at: end, text: after, isEnd: true, depth })
  }
  visit(/** @type {AstNode} */ (/** @type {unknown} */ (parseAst(code))), [], (node, ancestors) => {
    const depth = ancestors.length * 2
    const isInFunction = ancestors.some(isFunction)
    if (isFunction(node)) {
      const frame = `const walkFrame = walk.enter(${functions.length}); try {`
      functions.push(describe(node, ancestors, code, file))
      const { body } = node
      const end = '} finally { walk.exit(walkFrame) }'
      if (body.type === 'BlockStatement') wrap(body.start + 1, body.end - 1, [frame, end], depth)
      else wrap(code.lastIndexOf('=>', body.start) + 2, node.end, [`{${frame} return (`, `)${end}}`], depth)
    } else if (isInFunction && (node.type === 'AwaitExpression' || node.type === 'YieldExpression')) {
      wrap(node.start, node.end, ['walk.resume(walkFrame, (', '))'], depth)
      if (node.argument) wrap(node.argument.start, node.argument.end, ['walk.pause(walkFrame, (', '))'], depth + 1)
    } else if (isInFunction && node.type === 'ForOfStatement' && node.await) {
      wrap(node.right.start, node.right.end, ['walk.iterate(walkFrame, (', '))'], depth)
    }
  })
  return applyInsertions(code, insertions)
}

/**
 * @param {string} code
 * @param {{ readonly at: number, readonly text: string, readonly isEnd: boolean, readonly depth: number }[]} insertions
 */
function applyInsertions(code, insertions) {
  // At the same place, inner nodes end first, then outer ones, then outer ones begin, then inner ones.
  const order = insertions.toSorted(
    (a, b) => a.at - b.at || Number(b.isEnd) - Number(a.isEnd) || (a.isEnd ? b.depth - a.depth : a.depth - b.depth),
  )
  let result = ''
  let position = 0
  for (const { at, text } of order) {
    result += code.slice(position, at) + text
    position = at
  }
  return result + code.slice(position)
}

/**
 * @param {AstNode} node
 * @param {readonly AstNode[]} ancestors
 * @param {(node: AstNode, ancestors: readonly AstNode[]) => void} onNode
 */
function visit(node, ancestors, onNode) {
  onNode(node, ancestors)
  for (const member of Object.values(node)) {
    for (const child of Array.isArray(member) ? member : [member]) {
      if (typeof child?.type === 'string' && typeof child.start === 'number') visit(child, [...ancestors, node], onNode)
    }
  }
}

/** @param {AstNode} node */
function isFunction({ type }) {
  return type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression'
}

/**
 * @param {AstNode} node
 * @param {readonly AstNode[]} ancestors
 * @param {string} code
 * @param {string} file
 * @returns {WalkedFunction}
 */
function describe(node, ancestors, code, file) {
  const parent = ancestors.at(-1)
  const isMethod =
    parent?.type === 'MethodDefinition' ||
    parent?.type === 'PropertyDefinition' ||
    (parent?.type === 'Property' && (parent.method || parent.kind !== 'init'))
  const nameNode = node.id ?? parent?.key ?? parent?.id ?? parent?.callee
  return {
    file,
    name: nameNode ? code.slice(nameNode.start, nameNode.end) : 'function',
    isCallback: node.type !== 'FunctionDeclaration' && !isMethod,
  }
}
