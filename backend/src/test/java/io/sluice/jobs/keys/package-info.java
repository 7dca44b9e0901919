@NullMarked
package io.sluice.jobs.keys;

import org.jspecify.annotations.NullMarked;
