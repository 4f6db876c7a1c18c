import type { ScriptVerdict } from './script-verdict.js'

export function checkAwk(script: string): ScriptVerdict {
  return { problem: `a program: ${script}`, reads: [] }
}
