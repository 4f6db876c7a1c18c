import fc from 'fast-check'

/** The same cases in every run, so that a change fails only for what it changed. `npm run test:long` draws new ones. */
if (process.env.HAFT_LONG_TESTS === undefined) fc.configureGlobal({ seed: 20_261_117 })
