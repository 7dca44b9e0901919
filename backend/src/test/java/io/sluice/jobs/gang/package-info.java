@NullMarked
package io.sluice.jobs.gang;

import org.jspecify.annotations.NullMarked;
