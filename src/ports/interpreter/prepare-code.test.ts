import { expect, test } from 'vitest'
import { prepareCode } from './prepare-code.js'

test.each([
  ['const a = 1', 'var a = 1'],
  ['let a = 1, b = 2; const c = 3', 'var a = 1, b = 2; var c = 3'],
  ['const { a, b: [c] } = x\nlet d', 'var { a, b: [c] } = x\nvar d'],
  ['for (const x of y) { let z = 1 }', 'for (const x of y) { let z = 1 }'],
  ['if (a) { const b = 1 }\nconst c = 2', 'if (a) { const b = 1 }\nvar c = 2'],
  ['const f = () => { const g = 1 }', 'var f = () => { const g = 1 }'],
  ['class A { m() { let x } }\n[1].map(f)', 'var A=class A { m() { let x } };\n[1].map(f)'],
  [`"const a"; \`\nconst b \${ c ? \`let d\` : {} } \nlet e\`; const f = 1`, undefined],
  ['// const a\n/* let b */ const c = /const "d/.test(x) / 2', undefined],
  ['a.let = 1; x = {\nconst: 1 }', 'a.let = 1; x = {\nconst: 1 }'],
  ['let\n  a = 1', 'var\n  a = 1'],
  ['const broken = (', 'const broken = ('],
])('%s', (code, script) => {
  const expected = script ?? code.replace(/const (?=[fc] =)/, 'var ')
  expect(prepareCode(code).script).toBe(expected)
})

test('the wrapper copies top-level variables to globals and keeps line numbers', () => {
  const { wrapper } = prepareCode('const a = 1\nfunction f() {}\nreturn a')
  expect(wrapper).toBe(
    'await(async()=>{try{var a = 1\nfunction f() {}\nreturn a\n}finally{try{globalThis.a=a}catch{}try{globalThis.f=f}catch{}}})()',
  )
})
