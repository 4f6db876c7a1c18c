import type { ScriptVerdict } from './script-verdict.js'

export function checkDc(script: string): ScriptVerdict {
  return { problem: `a program: ${script}`, reads: [] }
}
