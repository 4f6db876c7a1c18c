import type { CommandSpec } from '../programs/command-spec.js'

/**
 * Returns the tables of programs for containers and clusters. Every query contacts a daemon or the network, and settings may
 * run a credential helper, so only version and help output is read-only.
 */
export const createContainerSpecs = (): readonly CommandSpec[] => [
  {
    names: 'docker podman nerdctl buildah docker-compose podman-compose',
    manual: 'docker(1)',
    options: { flags: '-v --version', targets: '-o --output --iidfile --cidfile' },
    requires: ['-v --version'],
    examples: ['docker --version', 'podman -v'],
  },
  // Even `version --client` looks for a cluster.
  { names: 'kubectl', manual: 'kubectl(1)', subcommands: {}, examples: [] },
  {
    names: 'helm',
    manual: 'helm(1)',
    subcommands: { version: { options: { flags: '--short' } } },
    examples: ['helm version'],
  },
]
