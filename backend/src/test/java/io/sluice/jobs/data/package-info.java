@NullMarked
package io.sluice.jobs.data;

import org.jspecify.annotations.NullMarked;
