/** Owns what is known of apps where jobs are read; never what they are. */
@NullMarked
package io.sluice.jobs.protocol.apps;

import org.jspecify.annotations.NullMarked;
