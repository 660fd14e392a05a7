feeds_test(model_test model feeds_commands feeds_feeds)
target_sources(model_test PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/model/social_model.cc)
