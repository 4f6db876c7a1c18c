import * as z from 'zod'

/** The `sandbox` part of a settings file. */
export function sandboxSchema() {
  return z
    .looseObject({
      enabled: z
        .boolean()
        .optional()
        .describe(
          'true: every command runs in the sandbox. false: none does. Left out: only commands that nobody was asked about, and those cannot write at all.',
        ),
      required: z
        .boolean()
        .optional()
        .describe('Every command runs in the sandbox, and where there is none it does not run.'),
      allowUnsandboxed: z
        .boolean()
        .optional()
        .describe('false: no command may leave the sandbox, not even with permission. true unless set.'),
      allowUnixSockets: z
        .boolean()
        .optional()
        .describe('true: commands reach the Unix sockets of other programs, which can let them out of the sandbox.'),
      allowWrite: paths('Folders or files that commands may write besides the working folders.'),
      denyWrite: paths('Folders or files that commands must not write, inside the working folders or not.'),
      denyRead: paths('Folders or files that commands must not see.'),
      allowedDomains: z
        .array(z.string().regex(DOMAIN, 'must be a host such as example.com or *.example.com'))
        .optional()
        .describe('Hosts that commands may reach: "example.com", or "*.example.com" for what lies below it.'),
    })
    .describe('How shell commands are held.')
}

/** A host, an address, or what lies below a host; no scheme, port or path. */
const DOMAIN = /^(?:\*|(?:\*\.)?[^\s*/:@?#[\]]+|[\da-f:]*:[\da-f:.]+)$/i

function paths(about: string) {
  const path = z
    .string()
    .regex(/^(?!\/?\*\*$)[^*?\0]+(?:\/\*\*)?$/, 'must be a path without wildcards (a folder covers what is in it)')
  return z
    .array(path)
    .optional()
    .describe(`${about} "~" is home; a relative path counts from the project, in the user file from home.`)
}
