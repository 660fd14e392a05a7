feeds_test(obs_unit_test unit/obs feeds_obs)
