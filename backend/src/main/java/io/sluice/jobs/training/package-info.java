/**
 * Owns the way of ModelArts to describe a job: engine and version, code and boot file, where its data comes from and goes to, parameters, and a
 * flavor of what the machines offer. It writes ordinary job files, and submits none.
 */
@NullMarked
package io.sluice.jobs.training;

import org.jspecify.annotations.NullMarked;
