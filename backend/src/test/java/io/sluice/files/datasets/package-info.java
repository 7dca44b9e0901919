@NullMarked
package io.sluice.files.datasets;

import org.jspecify.annotations.NullMarked;
