import type { Command } from './command.js'

/** All commands in the order in which help lists them. A command is its file and an entry here. */
export const commands: readonly Command[] = [
  {
    name: 'tools',
    usage: ['haft tools [--json] [--tools LIST] [--bare]', 'haft tools show NAME [--json]'],
    summary: 'list the tools that exist now, or show one',
    load: async () => (await import('./commands/tools/run-tools.js')).runTools,
  },
  {
    name: 'doctor',
    usage: ['haft doctor [--json]'],
    summary: 'tell what is found, what is missing and how to get it',
    load: async () => (await import('./commands/doctor/run-doctor.js')).runDoctor,
  },
]
