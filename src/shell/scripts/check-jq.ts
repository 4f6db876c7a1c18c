import type { ScriptVerdict } from './script-verdict.js'

export function checkJq(script: string): ScriptVerdict {
  return { problem: `a program: ${script}`, reads: [] }
}
