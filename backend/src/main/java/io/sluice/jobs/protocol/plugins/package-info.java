/** Owns what OpenPAI's plugins bring along that is used beside a job's tasks; never runs any of it. */
@NullMarked
package io.sluice.jobs.protocol.plugins;

import org.jspecify.annotations.NullMarked;
